"""The loop of a run: ask the model, make the calls it asks for, tell it how they ended, until it is done.

One coroutine for blocking and awaited runs. Whatever happens, each call of a reply has exactly one answer in
the conversation, in order, so that the conversation can go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tooldeck.core.call import current_call
from tooldeck.core.caller import calling, current_caller
from tooldeck.core.cancel import token_of
from tooldeck.core.errors import Cancelled
from tooldeck.core.events import (
    Event,
    ModelAsked,
    ModelReplied,
    ModelSpoke,
    PersonSpoke,
    ReplyNoted,
    RunEnded,
    RunStarted,
)
from tooldeck.core.host import Host, LimitPassed
from tooldeck.core.messages import Message, ModelReply, ToolRequest, Usage, words_of
from tooldeck.core.model import Model, name_of
from tooldeck.core.result import ToolResult
from tooldeck.core.run import Run
from tooldeck.core.run_result import Round, RunResult, RunStatus, Step
from tooldeck.core.strangers import error_words
from tooldeck.core.tokens import estimate_tokens, tool_tokens
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Source, Status
from tooldeck.hosts.batches import Many
from tooldeck.loops.asking import ask
from tooldeck.loops.limits import Account, RunLimits
from tooldeck.loops.manners import Manner, Turn
from tooldeck.loops.requests import answer_to, not_run
from tooldeck.loops.resuming import Keeper
from tooldeck.search.searched import Offer
from tooldeck.store.protocol import Store

__all__ = ["Doors", "Loop", "estimated"]


class Doors(NamedTuple):
    """How a loop reaches its deck."""

    host: Host
    batch: Callable[..., Many]
    """Makes a batch of calls; ``limit`` is how many may run at once."""
    offer: Callable[[int | None], Offer]
    """The tools for a model with so many tokens of context, at this moment."""
    told: Callable[[Sequence[Tool]], str]
    """What a model has to be told about those that it is shown."""
    model: Model | None
    """The deck's own model."""
    store: Store | None
    """Where runs are kept, so that they can go on after their program has ended."""
    saw: Callable[[Run], None]
    """Hears of the run, so that other cells can find it."""
    emit: Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class _End:
    status: RunStatus
    reason: str = ""
    text: str | None = None
    """None: what the model wrote last."""
    exception: BaseException | None = None


class Loop:
    """One run, made but not started."""

    def __init__(
        self,
        doors: Doors,
        model: Model,
        manner: Manner,
        *,
        run: Run,
        limits: RunLimits,
        messages: Sequence[Message],
        prompt: Message | None,
        spend: Callable[[Account], None] | None = None,
        on_text: Callable[[str], object] | None,
    ) -> None:
        self._doors = doors
        self._model = model
        self._manner = manner
        self._run = run
        self._account = Account(limits, doors.host.now)
        run.account = self._account
        if spend is not None:
            spend(self._account)
        self._messages = [*messages] if prompt is None else [*messages, prompt]
        said = [one.text for one in self._messages if one.role == "user" and one.text]
        self._prompt = said[-1] if said else ""
        self._keeper = Keeper(doors.store, run, manner.kept)
        self._on_text = on_text
        self._steps: list[Step] = []
        self._replies: list[Round] = []
        self._troubles = 0

    async def go(self) -> RunResult:
        """Carry out the run. Raises nothing but what interrupts it."""
        run = self._run
        outer, around = current_call(), current_caller().run
        if outer is not None:
            run.token.follow(token_of(outer))
        if around is not None and around is not run:
            run.token.follow(around.token)
            self._account.within = around.account if isinstance(around.account, Account) else None
        run.last_user_message = self._prompt
        self._keep()
        with calling(Source.MODEL, run=run, label=name_of(self._model)):
            self._doors.emit(RunStarted(run, self._prompt))
            self._keeper.keep(self._messages, self._account)
            try:
                end = await self._rounds()
            except BaseException as stop:
                self._ended(_End(RunStatus.CANCELLED, error_words(stop), exception=stop))
                raise
            return self._ended(end)

    def _ended(self, end: _End) -> RunResult:
        said = [message.text for message in self._messages if message.role == "assistant" and message.text]
        result = RunResult(
            end.status,
            (said[-1] if said else "") if end.text is None else end.text,
            end.reason,
            self._keep(),
            tuple(self._steps),
            self._account.usage,
            self._account.rounds,
            self._account.seconds,
            self._run,
            end.exception,
            tuple(self._replies),
            self._account.started,
            self._account.inner,
        )
        self._keeper.keep(self._messages, self._account, end.status)
        self._doors.emit(RunEnded(result))
        return result

    def _keep(self) -> tuple[Message, ...]:
        self._run.messages = tuple(self._messages)
        return self._run.messages

    # -- rounds

    async def _rounds(self) -> _End:
        while True:
            over = self._over()
            if over is not None:
                return over
            self._hear()
            try:
                reply = await self._reply()
            except Cancelled as stopped:
                return _End(RunStatus.STOPPED, str(stopped))
            except LimitPassed:
                return _End(RunStatus.LIMIT, self._account.spent() or "the time of this run is over")
            except Exception as error:  # noqa: BLE001 - models are functions of strangers
                said = f"the model could not answer: {error_words(error)}"
                return _End(RunStatus.FAILED, said, None, error)
            turn = self._manner.read(reply, self._offer().all, self._account.rounds)
            self._replies[-1] = replace(self._replies[-1], notes=turn.notes)
            self._note(*turn.notes)
            self._messages.append(turn.message)
            self._keeper.keep(self._messages, self._account)
            end = await self._acted(turn)
            self._keep()
            if end is not None:
                return end

    async def _acted(self, turn: Turn) -> _End | None:
        """Do what a reply asks for; how the run ends by it, or None."""
        if turn.trouble is not None:
            self._messages.append(turn.trouble)
            self._note(f"the reply could not be understood: {turn.why}")
            self._troubles += 1
            if self._troubles > self._account.limits.troubles:
                said = f"{self._troubles} replies in a row could not be understood; the last one: {turn.why}"
                return _End(RunStatus.FAILED, said)
            return None
        self._troubles = 0
        if not turn.requests:
            if self._hear():
                return None
            return _End(turn.end or RunStatus.DONE, turn.why, turn.answer)
        await self._call(turn)
        return self._looping()

    def _over(self) -> _End | None:
        """Why no further reply is asked for."""
        if self._run.stopped is not None:
            return _End(RunStatus.STOPPED, self._run.stopped)
        spent = self._account.spent()
        if spent is not None:
            return _End(RunStatus.LIMIT, spent)
        costs = self._account.used.cost
        untold = costs is None or self._account.untold
        if self._account.limits.cost is not None and self._account.rounds and untold:
            said = "the model tells no cost, so that the limit of this run cannot be kept; give it prices"
            return _End(RunStatus.FAILED, said)
        return None

    def _looping(self) -> _End | None:
        """The end of a run that the loop guard stopped."""
        last = self._steps[-1].round if self._steps else 0
        refused = any(
            step.round == last and step.result is not None and step.result.status is Status.LOOPING
            for step in self._steps
        )
        if refused and self._run.stopped is not None:
            return _End(RunStatus.LOOPING, self._run.stopped)
        return None

    def _hear(self) -> bool:
        """Put what a person said meanwhile into the conversation."""
        said = self._run.heard()
        if said is None:
            return False
        self._messages.append(Message("user", said))
        self._run.last_user_message = said
        self._keep()
        self._doors.emit(PersonSpoke(self._run, said))
        return True

    # -- the model

    def _offer(self) -> Offer:
        """The tools of this moment: some may have come or gone."""
        context = getattr(self._model, "context", None)
        return self._doors.offer(context if isinstance(context, int) else None)

    async def _reply(self) -> ModelReply:
        account, tools = self._account, self._offer().shown
        conversation = self._with_system(tools)
        offered = self._manner.offered(tools)
        number, asked = account.rounds + 1, account.seconds
        self._doors.emit(_asked(self._model, self._run, number))
        reply = await ask(
            self._model,
            conversation,
            offered,
            host=self._doors.host,
            token=self._run.token,
            tell=lambda text, afresh: self._told(number, text, afresh=afresh),
            most_chars=account.limits.reply_chars,
            seconds=account.seconds_left,
        )
        account.rounds = number
        usage = reply.usage or estimated(conversation, offered, reply)
        account.charge(usage)
        took = account.seconds - asked
        self._replies.append(Round(number, asked, took, usage, reply.model))
        self._doors.emit(ModelReplied(self._run, number, reply, took, account.usage))
        return reply

    def _with_system(self, tools: Sequence[Tool]) -> list[Message]:
        """The conversation, with what the model has to know before it; tools may have come or gone."""
        earlier = [message.text for message in self._messages if message.role == "system"]
        told = [*earlier, self._manner.told(tools), self._doors.told(tools)]
        rest = [message for message in self._messages if message.role != "system"]
        text = "\n\n".join(part for part in told if part)
        return [Message("system", text), *rest] if text else rest

    def _note(self, *notes: str) -> None:
        for text in notes:
            self._doors.emit(ReplyNoted(self._run, self._account.rounds, text))

    def _told(self, round: int, text: str, *, afresh: bool) -> None:
        self._doors.emit(ModelSpoke(self._run, round, text, afresh))
        if self._on_text is not None and text:
            self._on_text(text)

    # -- the calls

    async def _call(self, turn: Turn) -> None:
        """Make the calls of a reply, and answer every one of them, also when an interrupt ends them."""
        held, room = dict(turn.held), self._account.calls_left()
        free = [place for place in range(len(turn.requests)) if place not in held]
        for place in free[room:]:
            held[place] = f"the run may make {self._account.limits.calls} calls, and has made them"
        places = free[:room]
        self._note(*(f"{turn.requests[place].name} was not run: {held[place]}" for place in sorted(held)))
        self._account.calls += len(places)
        calls = [(turn.requests[place].name, turn.requests[place].arguments) for place in places]
        batch = self._doors.batch(calls, limit=self._account.limits.parallel)
        try:
            await batch.run()
        finally:
            ends = dict(zip(places, batch.ends(), strict=True))
            steps = [
                self._step(turn, place, request, ends.get(place), held.get(place, "the run was interrupted"))
                for place, request in enumerate(turn.requests)
            ]
            self._steps += steps
            self._messages.append(self._manner.answered(steps))
            self._messages = list(self._run.rewritten(tuple(self._messages)))
            self._keep()
            self._keeper.keep(self._messages, self._account)

    def _step(
        self, turn: Turn, place: int, request: ToolRequest, result: ToolResult | None, why: str
    ) -> Step:
        answer = not_run(request, why) if result is None else answer_to(request, result)
        action = turn.actions[place] if turn.actions else None
        return Step(self._account.rounds, request, result, answer, action)


def _asked(model: Model, run: Run, number: int) -> ModelAsked:
    """That a model is asked for a reply, and what it tells of itself."""
    provider, server = (getattr(model, name, "") for name in ("provider", "base_url"))
    return ModelAsked(
        run, number, name_of(model), *(one if isinstance(one, str) else "" for one in (provider, server))
    )


def estimated(conversation: Sequence[Message], tools: Sequence[Tool], reply: ModelReply) -> Usage:
    """What a reply cost about, where the model does not tell."""
    declared = sum(tool_tokens(tool) for tool in tools)
    read = estimate_tokens(words_of(conversation)) + declared
    return Usage(read, estimate_tokens(words_of([reply.message])), estimated=True)
