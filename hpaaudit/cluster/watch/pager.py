"""Reads a whole collection page by page, within bounds, as the pager of client-go does."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from hpaaudit.cluster.client.client import Answer, Client
from hpaaudit.cluster.decoding.decoders import Shape, page_of, piece_of
from hpaaudit.cluster.decoding.unreadable import Unreadable

PAGE = 500
SMALLER = 5
"""A page that is too long is asked for again with a fifth of its items."""
EMPTY_PAGES = 10
"""So many pages in a row may be empty, as those of a list with a selector are by the letter of the API."""
LONGEST_LIST_SECONDS = 300
"""So long may a list take: 150,000 pods take 30 s, and etcd forgets what a page goes on from after five minutes."""

Object = dict[str, Any]


async def pages(client: Client, path: str, query: dict[str, str], shape: Shape) -> AsyncIterator[Answer]:
    """A whole collection, page by page, so that never all of it is held; a bad answer is the last one.

    A page that is too long is asked for again with fewer items. A list without end is a bad answer: one whose pages
    lead back to an earlier one, begin with what was told before, bring nothing, or take too long together.
    """
    following, limit = "", PAGE
    bounds = _Bounds()
    while True:
        asked = {**query, "limit": str(limit), **({"continue": following} if following else {})}
        asked_for = f"{path}?{urlencode(asked)}"
        answer = await client.get(asked_for, decode=page_of(shape), item=partial(piece_of, shape))
        if answer.too_long and limit > 1:
            limit = max(1, limit // SMALLER)
            continue
        following, items = _continued(answer)
        if following and (why := bounds.why_endless(following, items, is_full=client.budget.is_measured_full)):
            yield replace(answer, status=0, body=None, error=f"{why}, after {bounds.pages} pages")
            return
        yield answer
        if not following:
            return


@dataclass(slots=True)
class _Bounds:
    """What was told by the pages of one list so far."""

    begun: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    pages: int = 0
    empty: int = 0
    tokens: set[int] = field(default_factory=set)
    firsts: set[tuple[str, str]] = field(default_factory=set)

    def why_endless(self, following: str, items: list[Any], *, is_full: bool) -> str:
        """Why a list of which more is to come is no list; empty where it may be one."""
        self.pages += 1
        self.empty = 0 if items else self.empty + 1
        first = _name_of(items[0]) if items else ("", "")
        if hash(following) in self.tokens:
            return "the list leads back to an earlier page"
        if first in self.firsts:
            return "the list begins again with what it told before"
        if self.empty > EMPTY_PAGES:
            return "the pages of the list are empty, and say that more will come"
        if asyncio.get_running_loop().time() - self.begun > LONGEST_LIST_SECONDS:
            return f"the list has no end in {LONGEST_LIST_SECONDS} s"
        if is_full:
            return "no memory is left for more of the list: raise the memory limit"
        self.tokens.add(hash(following))
        if first[1]:
            self.firsts.add(first)
        return ""


def _continued(answer: Answer) -> tuple[str, list[Any]]:
    """Where a page goes on, empty where it does not, and its items."""
    if not answer.good:
        return "", []
    return answer.body["metadata"].get("continue") or "", answer.body["items"] or []


def _name_of(item: Any) -> tuple[str, str]:
    """Namespace and name of an item, empty where it does not tell."""
    if isinstance(item, Unreadable):
        return item.key
    return item["metadata"].get("namespace", ""), item["metadata"].get("name", "")


def named(listed: Object) -> list[Object | Unreadable]:
    """The items of a list, each with the kind and the apiVersion that a list leaves out."""
    kind, version = listed.get("kind", "").removesuffix("List"), listed.get("apiVersion", "")
    items = listed.get("items") or ()
    return [item if isinstance(item, Unreadable) else {"kind": kind, "apiVersion": version, **item} for item in items]
