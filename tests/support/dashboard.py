# SPDX-License-Identifier: Apache-2.0
"""docs/grafana-dashboard.json as tests read it: what it asks Prometheus for."""

import json
import os
import pathlib
import re

FILE = pathlib.Path(os.environ.get("VERBUND_SOURCE", pathlib.Path(__file__).parents[2])) / "docs/grafana-dashboard.json"


def queries():
    """(PromQL as Grafana sends it, names of the labels in the legend), of every panel."""
    dashboard = json.loads(FILE.read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            sent = target["expr"].replace("$run", ".*").replace("$__rate_interval", "1m")
            yield sent, set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
    for variable in dashboard["templating"]["list"]:
        if found := re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]):
            yield f"sum by ({found[2]}) ({found[1]})", {found[2]}


def metrics_of(query):
    return set(re.findall(r"\bverbund_\w+", query))


def labels_of(query):
    """The labels that it selects, groups and joins by."""
    selected = re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", query)
    grouped = re.findall(r"\b(?:by|on|group_left|group_right)\s*\(([^)]*)\)", query)
    return {*selected, *(label.strip() for list_ in grouped for label in list_.split(",") if label.strip())}
