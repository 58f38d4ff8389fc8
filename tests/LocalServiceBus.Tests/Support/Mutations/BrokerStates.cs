using DroneDelivery.Amqp.Tests.Support;
using static DroneDelivery.LocalServiceBus.Tests.Support.Mutations.Frames;

namespace DroneDelivery.LocalServiceBus.Tests.Support.Mutations;

/// <summary>A state of the broker toward one client.</summary>
/// <param name="Name">The name in failure messages.</param>
/// <param name="EnterAsync">
/// Valid traffic that leads to the state; completes when the broker has shown that it reached it.
/// </param>
/// <param name="Next">Valid frames that a client might send in the state.</param>
internal sealed record BrokerState(string Name, Func<FramePeer, Task> EnterAsync, Func<FramePeer, FrameValues[]> Next);

/// <summary>Every state that traffic on one session can reach.</summary>
internal static class BrokerStates
{
    private const string Queue = "orders",
        Sessions = "trips",
        Topic = "events",
        Subscription = "events/subscriptions/all",
        Ruled = "events/subscriptions/ruled",
        Forwarding = "forwards",
        Detecting = "once",
        Target = "far";

    private static readonly DescribedValue Accept = RawPeer.Composite(Accepted.Code),
        Release = RawPeer.Composite(Released.Code);

    private static readonly DescribedValue Reject = RawPeer.Composite(
        Rejected.Code,
        RawPeer.Composite(
            AmqpError.Code,
            (Symbol)"com.microsoft:dead-letter",
            "why",
            new Dictionary<Symbol, object?>
            {
                ["DeadLetterReason"] = "reason",
                ["DeadLetterErrorDescription"] = "more",
                ["a"] = 1,
            }
        )
    );

    private static readonly object?[] Outcomes =
    [
        Accept,
        Release,
        Reject,
        RawPeer.Composite(Rejected.Code),
        RawPeer.Composite(Modified.Code, true, false, new Dictionary<Symbol, object?> { ["changed"] = 1 }),
        RawPeer.Composite(Modified.Code, true, true),
        RawPeer.Composite(Received.Code, 0u, 0ul),
        null,
    ];

    private static readonly FrameValues[] Links =
    [
        SenderTo(7, Queue),
        SenderTo(8, Topic),
        SenderTo(9, "orders/$management"),
        SenderTo(10, "$cbs"),
        CoordinatorOf(11),
        SenderTo(12, Queue, ForwardedTo(Target)),
        ReceiverFrom(13, Queue),
        ReceiverFrom(14, Queue, settled: true),
        ReceiverFrom(15, "orders/$DeadLetterQueue"),
        ReceiverFrom(16, Subscription),
        ReceiverFrom(17, "trips/$management"),
        ReceiverFrom(18, "orders/$Transfer/$DeadLetterQueue"),
        SessionOf(19, Sessions, "two"),
        SessionOf(20, Sessions, null),
        BeginOn(2),
        EndOf(0),
        Window(0),
    ];

    public static IReadOnlyList<BrokerState> All { get; } =
    [
        new("no link", _ => Task.CompletedTask, _ => Links),
        new("a sender", peer => peer.SendAsync(SenderTo(0, Queue)), Messages),
        new("a sender where duplicates are detected", peer => peer.SendAsync(SenderTo(0, Detecting)), Messages),
        new("a sender to a topic", peer => peer.SendAsync(SenderTo(0, Topic)), Messages),
        new("a sender to what forwards", peer => peer.SendAsync(SenderTo(0, Forwarding)), Messages),
        new("half of a message has come", SendHalfAsync, peer => [.. Rest(peer), .. Messages(peer)]),
        new("a receiver without credit", peer => peer.SendAsync(ReceiverFrom(0, Queue)), _ => Flows(0)),
        new(
            "a receiver waits",
            peer => peer.SendAsync(ReceiverFrom(0, Queue), Credit(0, 5)),
            _ => [.. Flows(0), .. Links]
        ),
        new("messages are locked", peer => ReceiveAsync(peer, Queue), peer => [.. Settlements(peer), .. Flows(1)]),
        new("messages of a subscription are locked", peer => ReceiveAsync(peer, Topic, Subscription), Settlements),
        new(
            "messages were received and deleted",
            peer => ReceiveAsync(peer, Queue, settled: true),
            peer => [.. Settlements(peer), .. Flows(1)]
        ),
        new("dead letters are locked", ReceiveDeadAsync, Settlements),
        new("a window is closed amid a message", BlockAsync, peer =>
            [.. Settlements(peer), .. Flows(1), Window(1), Window(100)]
        ),
        new("a session is held", HoldSessionAsync, peer => [.. Settlements(peer), .. Flows(1), .. Links]),
        new(
            "a session is waited for",
            peer => peer.SendAsync(SessionOf(0, Sessions, null), SessionOf(1, Sessions, null)),
            Waiting
        ),
        new("tokens are put", peer => RequestAsync(peer, "$cbs"), Claims),
        new("locks are managed", peer => ManageAsync(peer, Queue), LockRequests),
        new("messages are managed", peer => ManageAsync(peer, Queue), MessageRequests),
        new("sessions are managed", peer => ManageAsync(peer, Sessions), SessionRequests),
        new("rules are managed", peer => RequestAsync(peer, $"{Ruled}/$management"), RuleRequests),
        new("replies wait for credit", WithholdAsync, MessageRequests),
        new(
            "a coordinator",
            peer => peer.SendAsync(CoordinatorOf(0)),
            peer => Commands(peer, Guid.NewGuid().ToByteArray())
        ),
        new("a transaction is open", BeginTransactionAsync, InTransaction),
        new("a transaction is open over two entities", BeginTransferAsync, InTransaction),
    ];

    private static FrameValues[] Flows(uint handle) =>
        [
            Credit(handle, 1),
            Credit(handle, 0),
            Credit(handle, uint.MaxValue),
            Credit(handle, 10, drain: true),
            Window(0),
            Window(1),
            Window(100),
            DetachOf(handle),
            DetachOf(handle, closed: false),
            EndOf(0),
        ];

    private static FrameValues[] Messages(FramePeer peer) =>
        [
            Message(0, peer.NextId(), Text()),
            Message(0, peer.NextId(), Text(), settled: true),
            Message(0, peer.NextId(), Text(null)),
            Message(0, peer.NextId(), Batch(3), format: 0x80013700),
            Message(0, peer.NextId(), Batch(1), format: 0x80013700),
            Message(0, peer.NextId(), ScheduledText()),
            Message(0, peer.NextId(), [new DescribedValue(SectionCode.Value, "text")]),
            Message(0, peer.NextId(), [new DescribedValue(SectionCode.Sequence, new List<object?> { 1, "a" })]),
            Message(0, peer.NextId(), []),
            Message(0, peer.NextId(), Text(), more: true),
            Message(0, peer.NextId(), Text(), state: Accept),
            .. Flows(0),
        ];

    private static FrameValues[] Rest(FramePeer peer) =>
        [
            new(Transfer.Code, [0u]),
            new(Transfer.Code, [0u, null, null, null, null, true]),
            Aborted(0),
            Message(0, peer.NextId(), Text()),
            DetachOf(0),
            EndOf(0),
        ];

    private static FrameValues[] Settlements(FramePeer peer)
    {
        var (first, last) = (peer.Received[0].Id, peer.Received[^1].Id);
        return
        [
            .. Outcomes.Select(outcome => Outcome(first, first, outcome)),
            .. Outcomes.Select(outcome => Outcome(last, last, outcome, settled: true)),
            Outcome(first, last, Accept),
            Outcome(first, last, Release),
            Outcome(first, last + 1000, Reject),
            Outcome(last, first, Accept),
            Outcome(first, last, RawPeer.Composite(TransactionalState.Code, new byte[16], Accept)),
        ];
    }

    private static FrameValues[] Waiting(FramePeer peer) =>
        [DetachOf(0), DetachOf(1), Credit(0, 5), Message(0, peer.NextId(), Text()), EndOf(0), .. Links];

    private static FrameValues Ask(
        FramePeer peer,
        string operation,
        object? value,
        Dictionary<string, object?>? properties = null
    ) => Message(0, peer.NextId(), Request(operation, value, properties), settled: true);

    private static FrameValues[] Claims(FramePeer peer)
    {
        var token = Sas.Token("sb://localhost/", TimeProvider.System.GetUtcNow().AddHours(1));
        Dictionary<string, object?> properties = new()
        {
            ["type"] = "servicebus.windows.net:sastoken",
            ["name"] = "sb://localhost/orders",
        };
        return
        [
            Ask(peer, "put-token", token, properties),
            Ask(peer, "put-token", token),
            Ask(peer, "put-token", "no token", properties),
            Ask(peer, "delete-token", null),
            Message(0, peer.NextId(), Request("put-token", token, properties)),
        ];
    }

    private static FrameValues[] LockRequests(FramePeer peer)
    {
        var tokens = peer.Received.Select(message => message.Token).ToArray();
        return
        [
            Ask(peer, "com.microsoft:renew-lock", Map(("lock-tokens", tokens))),
            Ask(peer, "com.microsoft:renew-lock", Map(("lock-tokens", new[] { Guid.NewGuid() }))),
            .. new[] { "completed", "abandoned", "defered", "suspended", "unlocked" }.Select(status =>
                Ask(
                    peer,
                    "com.microsoft:update-disposition",
                    Map(
                        ("disposition-status", status),
                        ("lock-tokens", tokens[..1]),
                        ("deadletter-reason", "why"),
                        ("deadletter-description", "more"),
                        ("properties-to-modify", Map(("changed", 1)))
                    )
                )
            ),
        ];
    }

    private static FrameValues[] MessageRequests(FramePeer peer) =>
        [
            Ask(peer, "com.microsoft:peek-message", Map(("from-sequence-number", 0L), ("message-count", 10))),
            Ask(
                peer,
                "com.microsoft:receive-by-sequence-number",
                Map(("sequence-numbers", new[] { 1L, 2L }), ("receiver-settle-mode", 1u))
            ),
            Ask(
                peer,
                "com.microsoft:schedule-message",
                Map(
                    (
                        "messages",
                        new List<object?>
                        {
                            Map(("message-id", "id"), ("message", FrameValues.Encode(ScheduledText()))),
                        }
                    )
                )
            ),
            Ask(peer, "com.microsoft:cancel-scheduled-message", Map(("sequence-numbers", new[] { 3L }))),
            Ask(
                peer,
                "com.microsoft:batch-delete-messages",
                Map(("message-count", 10), ("enqueued-time-utc", DateTimeOffset.UnixEpoch))
            ),
            Ask(peer, "com.microsoft:no-such-operation", null),
        ];

    private static FrameValues[] SessionRequests(FramePeer peer)
    {
        Dictionary<string, object?> link = new() { ["associated-link-name"] = "link-3" };
        return
        [
            Ask(peer, "com.microsoft:renew-session-lock", Map(("session-id", "one")), link),
            Ask(peer, "com.microsoft:get-session-state", Map(("session-id", "one")), link),
            Ask(
                peer,
                "com.microsoft:set-session-state",
                Map(("session-id", "one"), ("session-state", new byte[10])),
                link
            ),
            Ask(peer, "com.microsoft:set-session-state", Map(("session-id", "one"), ("session-state", null))),
            Ask(
                peer,
                "com.microsoft:peek-message",
                Map(("from-sequence-number", 0L), ("message-count", 10), ("session-id", "one"))
            ),
            Ask(
                peer,
                "com.microsoft:receive-by-sequence-number",
                Map(("sequence-numbers", new[] { 1L }), ("session-id", "one"))
            ),
            .. LockRequests(peer),
        ];
    }

    private static FrameValues[] RuleRequests(FramePeer peer)
    {
        var correlation = Map(("correlation-id", "c"), ("label", "s"), ("properties", Map(("a", 1), ("b", "x"))));
        return
        [
            Ask(
                peer,
                "com.microsoft:add-rule",
                Rule(("sql-filter", Map(("expression", "number > 0 AND text LIKE 'a%'"))))
            ),
            Ask(
                peer,
                "com.microsoft:add-rule",
                Rule(
                    ("sql-filter", Map(("expression", "1=1"))),
                    ("sql-rule-action", Map(("expression", "SET number = number + 1")))
                )
            ),
            Ask(peer, "com.microsoft:add-rule", Rule(("correlation-filter", correlation))),
            Ask(peer, "com.microsoft:add-rule", Rule(("false-filter", Map()))),
            Ask(peer, "com.microsoft:remove-rule", Map(("rule-name", "rule"))),
            Ask(peer, "com.microsoft:enumerate-rules", Map(("skip", 0), ("top", 10))),
        ];
    }

    private static FrameValues[] Commands(FramePeer peer, byte[] transaction) =>
        [
            Command(peer, new Declare()),
            Command(peer, new Discharge(transaction)),
            Command(peer, new Discharge(transaction, Fail: true)),
            Message(0, peer.NextId(), Text()),
            .. Flows(0),
        ];

    private static FrameValues[] InTransaction(FramePeer peer)
    {
        var transaction = peer.Transactions[0];
        var last = peer.Received[^1].Id;
        return
        [
            Message(1, peer.NextId(), Text(), Of(transaction)),
            Message(1, peer.NextId(), Batch(2), Of(transaction), format: 0x80013700),
            .. Outcomes.Select(outcome => Outcome(last, last, Of(transaction, outcome))),
            .. Outcomes.Select(outcome => Outcome(last, last, Of(transaction, outcome), settled: true)),
            Outcome(last, last, Accept),
            DetachOf(1),
            DetachOf(2),
            .. Commands(peer, transaction),
        ];
    }

    private static DescribedValue Of(byte[] transaction, object? outcome = null) =>
        RawPeer.Composite(TransactionalState.Code, transaction, outcome);

    private static FrameValues Command(FramePeer peer, TransactionCommand command) =>
        Message(0, peer.NextId(), [new DescribedValue(SectionCode.Value, command.ToValue())]);

    private static Dictionary<object, object?> Rule(params (object Name, object? Value)[] description) =>
        Map(("rule-name", "rule"), ("rule-description", Map(description)));

    private static Dictionary<object, object?> Map(params (object Name, object? Value)[] entries) =>
        entries.ToDictionary(entry => entry.Name, entry => entry.Value);

    private static async Task SendHalfAsync(FramePeer peer)
    {
        var message = Message(0, peer.NextId(), Text(), more: true);
        await peer.SendAsync(SenderTo(0, Queue), message with { Sections = message.Sections[..3] });
    }

    /// <summary>Sends three messages on handle 0 and receives them on handle 1.</summary>
    private static async Task ReceiveAsync(FramePeer peer, string to, string? from = null, bool settled = false)
    {
        await SendAsync(peer, to, 3);
        await peer.SendAsync(ReceiverFrom(1, from ?? to, settled), Credit(1, 3));
        await peer.ReadUntilAsync(it => it.Received.Count >= 3);
    }

    private static async Task SendAsync(FramePeer peer, string to, int count)
    {
        var messages = Enumerable.Range(0, count).Select(_ => Message(0, peer.NextId(), Text()));
        await peer.SendAsync([SenderTo(0, to), .. messages]);
        await peer.ReadUntilAsync(it => it.Settled >= count);
    }

    private static async Task ReceiveDeadAsync(FramePeer peer)
    {
        await ReceiveAsync(peer, Queue);
        await peer.SendAsync(Outcome(peer.Received[0].Id, peer.Received[2].Id, Reject));
        await peer.SendAsync(ReceiverFrom(2, "orders/$DeadLetterQueue"), Credit(2, 3));
        await peer.ReadUntilAsync(it => it.Received.Count >= 6);
        peer.Received.RemoveRange(0, 3);
    }

    /// <summary>A message requires two frames, and the window allows one.</summary>
    private static async Task BlockAsync(FramePeer peer)
    {
        List<object?> large = [new DescribedValue(SectionCode.Data, new byte[60_000])];
        await peer.SendAsync(
            SenderTo(0, Queue),
            Message(0, 0, large, more: true),
            Message(0, 0, large),
            Message(0, 1, Text())
        );
        await peer.ReadUntilAsync(it => it.Settled >= 2);
        await peer.SendAsync(Window(1), ReceiverFrom(1, Queue), Credit(1, 3));
        await peer.ReadUntilAsync(it => it.Received.Count >= 1);
    }

    private static async Task HoldSessionAsync(FramePeer peer)
    {
        await SendAsync(peer, Sessions, 3);
        await peer.SendAsync(SessionOf(1, Sessions, "one"));
        await peer.SendAsync(Credit(1, 3));
        await peer.ReadUntilAsync(it => it.Received.Count >= 3);
    }

    private static Task RequestAsync(FramePeer peer, string node) =>
        peer.SendAsync(SenderTo(0, node), ReceiverFrom(1, node, settled: true), Credit(1, 1000));

    /// <summary>Locks two messages on handle 3, defers one, and schedules one.</summary>
    private static async Task ManageAsync(FramePeer peer, string queue)
    {
        await RequestAsync(peer, $"{queue}/$management");
        var messages = Enumerable.Range(0, 3).Select(_ => Message(2, peer.NextId(), Text()));
        await peer.SendAsync([SenderTo(2, queue), .. messages, Message(2, peer.NextId(), ScheduledText())]);
        await peer.ReadUntilAsync(it => it.Settled >= 4);
        await peer.SendAsync(queue == Sessions ? SessionOf(3, queue, "one") : ReceiverFrom(3, queue));
        await peer.SendAsync(Credit(3, 3));
        await peer.ReadUntilAsync(it => it.Received.Count >= 3);
        await peer.SendAsync(
            Outcome(peer.Received[0].Id, peer.Received[0].Id, RawPeer.Composite(Modified.Code, true, true))
        );
        peer.Received.RemoveAt(0);
    }

    private static List<object?> ScheduledText() =>
        Text(annotations: new() { ["x-opt-scheduled-enqueue-time"] = DateTimeOffset.UnixEpoch.AddYears(100) });

    private static async Task WithholdAsync(FramePeer peer)
    {
        await peer.SendAsync(SenderTo(0, "orders/$management"), ReceiverFrom(1, "orders/$management", settled: true));
        await peer.SendAsync(MessageRequests(peer));
    }

    private static async Task BeginTransactionAsync(FramePeer peer)
    {
        await DeclareAsync(peer);
        await peer.SendAsync(SenderTo(1, Queue), Message(1, peer.NextId(), Text()), Message(1, peer.NextId(), Text()));
        await peer.SendAsync(ReceiverFrom(2, Queue), Credit(2, 2));
        await peer.ReadUntilAsync(it => it.Received.Count >= 2);
        await peer.SendAsync(
            Message(1, peer.NextId(), Text(), Of(peer.Transactions[0])),
            Outcome(peer.Received[0].Id, peer.Received[0].Id, Of(peer.Transactions[0], Accept))
        );
    }

    /// <summary>Receives from one queue and sends through it to another.</summary>
    private static async Task BeginTransferAsync(FramePeer peer)
    {
        await DeclareAsync(peer);
        await peer.SendAsync(
            SenderTo(3, Queue),
            Message(3, peer.NextId(), Text()),
            SenderTo(1, Queue, ForwardedTo(Target))
        );
        await peer.SendAsync(ReceiverFrom(2, Queue), Credit(2, 1));
        await peer.ReadUntilAsync(it => it.Received.Count >= 1);
        await peer.SendAsync(Message(1, peer.NextId(), Text(), Of(peer.Transactions[0])));
    }

    private static async Task DeclareAsync(FramePeer peer)
    {
        await peer.SendAsync(CoordinatorOf(0), Command(peer, new Declare()));
        await peer.ReadUntilAsync(it => it.Transactions.Count > 0);
    }
}
