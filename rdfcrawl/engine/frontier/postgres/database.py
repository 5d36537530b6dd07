"""Connections to the server: made when they are needed, and made again when they are lost.

Whatever is asked may be asked again after the server was away: what has been committed must be recognised by whoever
asks, since the answer to a COMMIT can be lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from psycopg import AsyncConnection, OperationalError, errors
from psycopg import Error as PostgresError

from rdfcrawl.engine.frontier.postgres.address import QueueAddress
from rdfcrawl.errors import RdfcrawlError, Stopped, StoreError

T = TypeVar("T")
Connection = AsyncConnection[tuple[Any, ...]]

DEFAULT_SCHEMA: Final = "rdfcrawl"
_CONNECTIONS: Final = 3
"""How many connections a process has at most: its claims and commits, what its pages ask, and its sign of life."""
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0
_LEAVING_SECONDS: Final = 10.0
"""How long somebody who is leaving waits for a server that is away."""

_SETTINGS: Final = """
SELECT set_config('search_path', quote_ident(%s), false), set_config('lock_timeout', '20s', false),
       set_config('idle_in_transaction_session_timeout', '10s', false), set_config('jit', 'off', false),
       set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false),
       set_config('tcp_user_timeout', '20s', false), set_config('synchronous_commit', 'on', false),
       set_config('default_transaction_isolation', 'read committed', false)
"""
_CONFLICTS: Final = (errors.SerializationFailure, errors.DeadlockDetected, errors.LockNotAvailable)
_AWAY: Final = (
    *(errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.TooManyConnections),
    errors.IdleInTransactionSessionTimeout,
)
_MAY_COME: Final = (
    *("refused", "No such file", "starting up", "shutting down", "recovery mode", "timeout expired", "timed out"),
    *("unreachable", "No route", "closed the connection", "too many clients", "reset by peer"),
)
"""What libpq says of a server that may be there in a moment; a wrong name or password stays wrong."""


class WriteBatch:
    """Statements that are sent as one: an answer waits for all that the process does meanwhile.

    They see what was there before all of them, and each other only by name.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._values: list[Any] = []

    def add(self, statement: str, values: Iterable[Any], name: str = "") -> None:
        """Send this, too; its values are those of its placeholders, in their order. Others know it by its name."""
        self._texts.append(f"{name or f'part_{len(self._texts)}'} AS ({statement})")
        self._values += values

    async def send(self, connection: Connection) -> None:
        """Carry all of them out."""
        if self._texts:
            await self.answer(connection, "SELECT", ())

    async def answer(self, connection: Connection, asked: str, values: Iterable[Any]) -> tuple[Any, ...]:
        """Carry all of them out, what is ``asked`` of them first; returns the one row that answers it."""
        cursor = await connection.execute(f"WITH {', '.join(self._texts)} {asked}", [*self._values, *values])
        return await cursor.fetchone() or ()


class Database:
    """The connections of one process to the server of a queue."""

    def __init__(self, address: QueueAddress, notice: Callable[[str], None], *, waits: bool = False) -> None:
        """With ``waits``, a server that is not there yet is waited for from the beginning."""
        self.address = address
        self.schema = DEFAULT_SCHEMA
        self._notice = notice
        self.has_worked = False
        """Whether the tables were found to be right; whatever fails later will pass."""
        self._waits = waits
        self._free: list[Connection] = []
        self._places = asyncio.Semaphore(_CONNECTIONS)
        self._is_away = False
        self._leaving_since: float | None = None
        self._beside: set[asyncio.Task[None]] = set()

    async def transaction(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Do something in one transaction, and again from its beginning if the server was away.

        Not as a pipeline: somebody who is frozen in the middle of one is not idle to the server, keeps the locks of
        the transaction, and holds up everybody else for as long as that takes.
        """

        async def whole(connection: Connection) -> T:
            async with connection.transaction():
                return await work(connection)

        return await self.ask(whole)

    async def rows(self, statement: str, values: object = None) -> list[tuple[Any, ...]]:
        """The rows of one statement, which is a transaction of its own."""

        async def asked(connection: Connection) -> list[tuple[Any, ...]]:
            cursor = await connection.execute(statement, values)  # type: ignore[call-overload]
            return await cursor.fetchall() if cursor.description else []

        return await self.ask(asked)

    async def ask(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Do something with a connection that nobody else uses meanwhile; waits for a server that is away."""
        pause = _FIRST_PAUSE
        while True:
            try:
                async with self._connection() as connection:
                    answer = await work(connection)
            except PostgresError as error:
                if not self._passes(error):
                    raise self._in_words(error) from error
            else:
                if self._is_away:
                    self._is_away = False
                    self._notice(f"{self.address} answers again; the work goes on")
                return answer
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def leave(self) -> None:
        """Wait no longer than a moment for a server that is away: the process is to end."""
        if self._leaving_since is None:
            self._leaving_since = asyncio.get_running_loop().time()

    def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that nobody waits for, and not after this is closed; what goes wrong is for others to say."""

        async def quietly() -> None:
            with contextlib.suppress(RdfcrawlError):
                await work

        task = asyncio.create_task(quietly())
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def aclose(self) -> None:
        """Close all connections."""
        for task in self._beside:
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        while self._free:
            await self._free.pop().close()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        async with self._places:
            connection = self._free.pop() if self._free else await self._connected()
            try:
                yield connection
            except (PostgresError, asyncio.CancelledError):
                # Whatever it was doing, nobody can tell where it stopped.
                with contextlib.suppress(Exception):
                    await connection.close()
                raise
            finally:
                if not connection.closed:
                    self._free.append(connection)

    async def _connected(self) -> Connection:
        connection = await AsyncConnection.connect(self.address.conninfo, autocommit=True)
        try:
            (path,) = await (await connection.execute("SHOW search_path")).fetchone() or ("",)
            first = path.partition(",")[0].strip().strip('"')
            self.schema = first if first and first != "$user" else DEFAULT_SCHEMA
            await connection.execute(_SETTINGS, (self.schema,))
        except BaseException:
            await connection.close()
            raise
        return connection

    def _passes(self, error: PostgresError) -> bool:
        """Whether it is worth trying again; says once that the server is away."""
        if isinstance(error, _CONFLICTS):
            return True
        is_lost = isinstance(error, OperationalError) and error.sqlstate is None
        if not is_lost and not isinstance(error, _AWAY):
            return False
        if not self.has_worked and not (self._waits and _may_come(error)):
            return False
        now = asyncio.get_running_loop().time()
        if self._leaving_since is not None and now - self._leaving_since > _LEAVING_SECONDS:
            raise Stopped(f"{self.address} does not answer; what was not committed is read again") from error
        if not self._is_away:
            self._is_away = True
            self._notice(f"{self.address} does not answer ({_first_line(error)}); waiting until it does")
        return True

    def _in_words(self, error: PostgresError) -> RdfcrawlError:
        said = _first_line(error)
        if isinstance(error, errors.DiskFull):
            return Stopped(
                f"the disk of {self.address} is full; free some space there, and the same command goes on ({said})"
            )
        if isinstance(error, errors.ReadOnlySqlTransaction):
            return StoreError(f"{self.address} can only be read: it is a copy, or was made read-only ({said})")
        if isinstance(error, errors.InsufficientPrivilege):
            return StoreError(
                f"the user of {self.address} lacks a right ({said}); its administrator can give all of them with "
                f"CREATE SCHEMA {self.schema} AUTHORIZATION followed by the name of the user"
            )
        if isinstance(error, errors.UndefinedTable):
            return StoreError(
                f"the queue in {self.address} has lost a table ({said}): somebody has removed it, "
                "or a pooler in between does not keep sessions (pool_mode = session)"
            )
        if isinstance(error, OperationalError) and error.sqlstate is None:
            return StoreError(f"no connection to {self.address}: {said}")
        return StoreError(f"the queue in {self.address} fails: {said}")


def _may_come(error: PostgresError) -> bool:
    return any(sign in str(error) for sign in _MAY_COME)


def _first_line(error: PostgresError) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
