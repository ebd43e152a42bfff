"""Opens the watches of a recorder. What may not be watched, and objects that cannot be read, become gaps."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hpaaudit.cluster.client.http_answer import Answer
from hpaaudit.cluster.decoding.decoders import EVENTS
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.observe.context import ObserverContext
from hpaaudit.cluster.observe.server_version import ServerVersion
from hpaaudit.cluster.stores.events import EventStore, query_for
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.reflector import Reflector
from hpaaudit.cluster.watch.store import Store
from hpaaudit.cluster.watch.unreadable_objects import UnreadableObjects
from hpaaudit.cluster.watch.watch_list import can_stream
from hpaaudit.model.facts import EventSeen
from hpaaudit.model.note import Event, Note
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A collection to follow, and the store that it feeds.

    noun          what it holds, for messages: `pods`
    is_relevant   whether an object that cannot be read may be one that is recorded
    part          of what the objects say that is read in no other way; empty for all of it
    on_forbidden  is called if watching becomes forbidden later than at the start
    """

    collection: Collection
    store: Store
    noun: str
    is_relevant: Callable[[Unreadable], bool] = lambda _: True
    part: str = ""
    on_forbidden: Callable[[], None] = lambda: None


@dataclass(slots=True)
class Watches:
    """All reflectors of a recorder, and the unreadable objects of each collection by its prefix.

    restored_events   as an earlier run saw them last
    """

    context: ObserverContext
    server: ServerVersion
    reflectors: list[Reflector] = field(default_factory=list)
    unreadable: dict[str, UnreadableObjects] = field(default_factory=dict)
    restored_events: list[EventSeen] = field(default_factory=list)

    async def follow(self, subscription: Subscription) -> Answer | None:
        """Follows a collection. Returns when it was read once, or with the answer that refused it.

        A refused watch is a gap, and is tried again for ever.
        """
        context, collection = self.context, subscription.collection

        def note_refusal(answer: Answer) -> None:
            line = f"cannot follow {subscription.noun}{context.scope.words} ({answer.status}): {answer.message}"
            context.note(Note(line, Event.STREAM_REFUSED, path=collection.path, status=answer.status))

        def forbidden_later(answer: Answer) -> None:
            note_refusal(answer)
            subscription.on_forbidden()

        unreadable = UnreadableObjects(
            collection.path, context.gaps, context.sink, context.note, subscription.is_relevant, subscription.part
        )
        self.unreadable[collection.prefix] = unreadable
        # Every collection is streamed if the server supports it, because its cost for the server is known: with 1.36
        # 3,000 pods allocate 47 MB. Pages take 45 MB from the watch cache, but 120 MB from etcd, as before 1.34 or if
        # the cache keeps no snapshots. CPU, once: 0.67 s; pages 0.39 s from the cache, 0.65 s from etcd. We hold no
        # page: 50,000 pods and 5,000 HPAs took 237 and 245 MB, in pages 247 and 255 MB, with as much CPU.
        reflector = Reflector(
            context.client,
            collection,
            subscription.store,
            context.gaps,
            use_watch_list=can_stream(self.server.version),
            on_forbidden=forbidden_later,
            unreadable=unreadable,
        )
        self.reflectors.append(reflector)
        context.spawn(reflector.run())
        refusal = await reflector.started
        if refusal is not None:
            note_refusal(refusal)
        return refusal

    async def follow_events(self, kind: str, is_wanted: Callable[[str, str], bool]) -> None:
        """Follows the Events about objects of a kind, of those that are wanted, by namespace and name."""
        store = EventStore(self.context.sink, is_wanted)
        store.restore(fact for fact in self.restored_events if fact.kind == kind)
        path = self.context.scope.path("/api/v1", "events")
        await self.follow(
            Subscription(
                collection=Collection(path=path, query=query_for(kind), decoder=EVENTS),
                store=store,
                noun=f"Events of a {kind}",
                is_relevant=store.is_relevant,
            )
        )

    def write_counts(self, at_us: Micros) -> None:
        """Writes rows for unreadable objects that came again since their last row."""
        for unreadable in self.unreadable.values():
            unreadable.write_counts(at_us)

    def stop(self, at_us: Micros) -> None:
        """Ends all watches, because the recorder ends."""
        self.write_counts(at_us)
        for reflector in self.reflectors:
            reflector.stop(at_us)
