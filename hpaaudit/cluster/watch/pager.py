"""Reads a whole collection page by page, within bounds, as the pager of client-go does."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.http_answer import Answer
from hpaaudit.cluster.decoding.decoders import KindDecoder, item_of, page_of
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.store import Key, Object

PAGE_ITEMS = 500  # client-go's default
PAGE_DIVISOR = 5
"""A page that is too long is requested again with this part of its items."""
MAX_EMPTY_PAGES = 10
"""In a row. The API allows empty pages in a list with a selector."""
LONGEST_LIST_SECONDS = 300
"""150,000 pods take 30 s, and etcd forgets the version of a continue token after five minutes."""


async def pages(client: Client, collection: Collection, decoder: KindDecoder) -> AsyncIterator[Answer]:
    """The pages of a collection, so that it is never in memory as a whole. A bad answer is the last one.

    A page that is too long is requested again with fewer items. A list without end counts as a bad answer: its pages
    lead back to an earlier one, begin again with the first object, are empty, or take too long together.
    """
    token, limit = "", PAGE_ITEMS
    bounds = _Bounds()
    while True:
        parameters = {"limit": str(limit), **({"continue": token} if token else {})}
        answer = await client.get(
            collection.request(**parameters), decode=page_of(decoder), item=partial(item_of, decoder)
        )
        if answer.too_long and limit > 1:
            limit = max(1, limit // PAGE_DIVISOR)
            continue
        token, items = _continued(answer)
        if token and (why := bounds.why_endless(token, items, is_full=client.budget.is_measured_full)):
            yield replace(answer, status=0, body=None, error=f"{why}, after {bounds.pages} pages")
            return
        yield answer
        if not token:
            return


@dataclass(slots=True)
class _Bounds:
    """What the pages of one list have brought so far.

    tokens   hashes of continue tokens;  first_keys  the first object of each page
    """

    began: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    pages: int = 0
    empty_pages: int = 0
    tokens: set[int] = field(default_factory=set)
    first_keys: set[Key] = field(default_factory=set)

    def why_endless(self, token: str, items: list[Any], *, is_full: bool) -> str:
        """Why a list that announces another page is not read any further; empty if it is."""
        self.pages += 1
        self.empty_pages = 0 if items else self.empty_pages + 1
        first_key = _key_of(items[0]) if items else ("", "")
        if hash(token) in self.tokens:
            return "the list leads back to an earlier page"
        if first_key in self.first_keys:
            return "the list begins again with what it told before"
        if self.empty_pages > MAX_EMPTY_PAGES:
            return "the pages of the list are empty, and say that more will come"
        if asyncio.get_running_loop().time() - self.began > LONGEST_LIST_SECONDS:
            return f"the list has no end in {LONGEST_LIST_SECONDS} s"
        if is_full:
            return "no memory is left for more of the list: raise the memory limit"
        self.tokens.add(hash(token))
        if first_key[1]:
            self.first_keys.add(first_key)
        return ""


def _continued(answer: Answer) -> tuple[str, list[Any]]:
    """The continue token of a page, empty on the last one, and its items."""
    if not answer.good:
        return "", []
    return answer.body["metadata"].get("continue") or "", answer.body["items"] or []


def _key_of(item: Any) -> Key:
    """Namespace and name of an item, empty if it has none."""
    if isinstance(item, Unreadable):
        return item.key
    return item["metadata"].get("namespace", ""), item["metadata"].get("name", "")


def named(listed: Object) -> list[Object | Unreadable]:
    """The items of a list, each with its kind and apiVersion, which a list leaves out."""
    kind, version = listed.get("kind", "").removesuffix("List"), listed.get("apiVersion", "")
    items = listed.get("items") or ()
    return [item if isinstance(item, Unreadable) else {"kind": kind, "apiVersion": version, **item} for item in items]
