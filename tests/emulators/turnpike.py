"""A turnpike before Firestore: everything passes, is counted as Google bills it, and may be held up."""

import asyncio
from collections import Counter
from functools import partial

import grpc
from google.cloud.firestore_v1.types import BatchGetDocumentsRequest, CommitRequest, RunQueryResponse

READING = ("BatchGetDocuments", "RunQuery")
OURS_ALONE = ("user-agent", "te", "content-type", "grpc-")
"""Headers of our own leg of the way."""


class Turnpike(grpc.GenericRpcHandler):
    """Passes a client's calls on to the emulator, byte by byte."""

    def __init__(self, address):
        self._channel = grpc.aio.insecure_channel(address)
        self.counts, self.loses_answers, self._lost = Counter(), False, set()
        self._wanted, self._barrier, self._doomed = None, None, None

    def handlers(self):
        """Return what serves the calls."""
        return self

    def hold(self, wanted, parties):
        """Let commits that are wanted wait for one another; the next ones pass as ever."""
        self._wanted, self._barrier = wanted, asyncio.Barrier(parties)

    def break_once(self, doomed):
        """Answer the next commit of what is doomed as a server that broke down; nothing of it passes."""
        self._doomed = doomed

    async def close(self):
        """Close the far side."""
        await self._channel.close()

    def service(self, details):
        """Return how one call passes."""
        name = details.method.rpartition("/")[2]
        if name in READING:
            return grpc.unary_stream_rpc_method_handler(partial(self._read, name, details.method))
        return grpc.unary_unary_rpc_method_handler(partial(self._write, name, details.method))

    async def _write(self, name, method, request, context):
        commit = CommitRequest.deserialize(request) if name == "Commit" else CommitRequest()
        await self._held(commit)
        if self._doomed and any(map(self._doomed, commit.writes)):
            self._doomed = None
            await context.abort(grpc.StatusCode.INTERNAL, "an internal error occurred")
        try:
            answer = await self._channel.unary_unary(method)(request, metadata=_onwards(context))
        except grpc.aio.AioRpcError as refusal:
            self.counts["refused commits"] += 1
            await context.abort(refusal.code(), refusal.details())
        self.counts["writes"] += len(commit.writes)
        self.counts["commits"] += name == "Commit"
        if self._loses(name, request):
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the connection was lost")
        return answer

    async def _read(self, name, method, request, context):
        found = 0
        try:
            async for answer in self._channel.unary_stream(method)(request, metadata=_onwards(context)):
                found += name == "RunQuery" and bool(RunQueryResponse.deserialize(answer).document.name)
                yield answer
        except grpc.aio.AioRpcError as refusal:
            await context.abort(refusal.code(), refusal.details())
        self.counts["reads"] += found or _asked_for(name, request)

    def _loses(self, name, request):
        # Of each commit, the answer to its first sending.
        lost = self.loses_answers and name == "Commit" and request not in self._lost
        self._lost.add(request)
        return lost

    async def _held(self, commit):
        barrier = self._barrier
        if barrier is not None and any(map(self._wanted, commit.writes)):
            await barrier.wait()
            self._barrier = None


def _asked_for(name, request):
    # A query that finds nothing is billed as one read; a document that is not there as well.
    return 1 if name == "RunQuery" else len(BatchGetDocumentsRequest.deserialize(request).documents)


def _onwards(context):
    return [(key, value) for key, value in context.invocation_metadata() if not key.startswith(OURS_ALONE)]
