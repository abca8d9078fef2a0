"""How long this machine takes now for what the machine did at once on which the tests' budgets were written.

A second of CPU is no fixed amount of work: the same tests took 820 of them on one day and 1,090 on another,
on machines of one kind, for others at work on the same core take from its caches and its clock.
"""

import json
import sqlite3
import time
from statistics import median
from typing import Final

USUAL: Final = 0.005
"""CPU seconds of a round of work, while tests ran on both cores, on the machine of the budgets."""
ROUNDS: Final = 3
ROWS: Final = 360
DOCUMENT: Final = {"state": "active", "locks": [{"id": f"dev_{n}", "placed": n % 2 == 0} for n in range(20)]}


def pace() -> float:
    """Return how many CPU seconds take the place of one of the usual machine just now."""
    return median(_round() for _ in range(ROUNDS)) / USUAL


def _round() -> float:
    """Do what tests mostly do, in small: documents to text and back, objects, rows."""
    began = time.thread_time()
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE document (id INTEGER PRIMARY KEY, body TEXT)")
    for number in range(ROWS):
        document = json.loads(json.dumps({**DOCUMENT, "number": number}))
        placed = sorted((lock["id"] for lock in document["locks"] if lock["placed"]), reverse=True)
        database.execute("INSERT INTO document VALUES (?, ?)", (number, json.dumps(placed)))
    database.execute("SELECT sum(length(body)) FROM document").fetchone()
    database.close()
    return time.thread_time() - began
