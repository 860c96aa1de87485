#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times one translation of a text by CTranslate2; bench/translate.py calls this.

    .venv/bin/python bench/peers/ctranslate2_translate.py MODEL THREADS BATCH BEAM LONGEST < text

MODEL is a folder that `verbund export` wrote. Prints one object in JSON: version, target tokens (with </s>),
seconds from text to text without loading, and the translations.
"""
import json
import sys
import time

import ctranslate2
import sentencepiece


def main():
    folder = sys.argv[1]
    threads, batch, beam, longest = map(int, sys.argv[2:])
    lines = sys.stdin.read().split("\n")[:-1]
    source, target = (sentencepiece.SentencePieceProcessor(model_file=f"{folder}/{side}.model")
                      for side in ("source", "target"))
    translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32", inter_threads=1,
                                        intra_threads=threads)

    def translate(text):
        found = translator.translate_batch(source.encode(text, out_type=str), beam_size=beam, length_penalty=0,
                                           min_decoding_length=0, max_decoding_length=longest, max_batch_size=batch)
        return [result.hypotheses[0] for result in found]

    translate(lines[:batch])  # to warm up
    began = time.perf_counter()
    pieces = translate(lines)
    translations = [target.decode(each) for each in pieces]
    seconds = time.perf_counter() - began
    print(json.dumps({"version": f"CTranslate2 {ctranslate2.__version__}", "seconds": seconds,
                      "tokens": sum(len(each) + 1 for each in pieces), "translations": translations}))


if __name__ == "__main__":
    main()
