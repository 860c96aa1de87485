#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CTranslate2 behind a small server of aiohttp, as a peer for bench/serve.py, which starts it.

    .venv/bin/python bench/peers/serve.py MODEL THREADS BATCH BEAM LONGEST

MODEL is a folder that `verbund export` wrote. POST /translate with {"q": TEXT} answers {"translatedText": TEXT}.
Requests that wait are translated together, up to BATCH. Prints its address when it listens.
"""
import asyncio
import sys

import ctranslate2
import sentencepiece
from aiohttp import web


class Peer:
    def __init__(self, folder, threads, batch, beam, longest):
        self.source, self.target = (sentencepiece.SentencePieceProcessor(model_file=f"{folder}/{side}.model")
                                    for side in ("source", "target"))
        self.translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32", inter_threads=1,
                                                 intra_threads=threads)
        self.batch, self.beam, self.longest = batch, beam, longest

    def translate(self, texts):
        found = self.translator.translate_batch(
            self.source.encode(texts, out_type=str), beam_size=self.beam, length_penalty=0, min_decoding_length=0,
            max_decoding_length=self.longest, max_batch_size=self.batch)
        return [self.target.decode(result.hypotheses[0]) for result in found]

    async def work(self, waiting):
        loop = asyncio.get_running_loop()
        while True:
            taken = [await waiting.get()]
            while len(taken) < self.batch and not waiting.empty():
                taken.append(waiting.get_nowait())
            results = await loop.run_in_executor(None, self.translate, [text for text, _ in taken])
            for (_, answer), result in zip(taken, results, strict=True):
                answer.set_result(result)


async def main():
    peer = Peer(sys.argv[1], *map(int, sys.argv[2:]))
    waiting = asyncio.Queue()

    async def translate(request):
        answer = asyncio.get_running_loop().create_future()
        await waiting.put(((await request.json())["q"], answer))
        return web.json_response({"translatedText": await answer})

    application = web.Application()
    application.router.add_post("/translate", translate)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}", flush=True)
    await peer.work(waiting)


if __name__ == "__main__":
    asyncio.run(main())
