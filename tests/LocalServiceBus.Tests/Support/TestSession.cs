namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A session request that records its outcome.</summary>
internal sealed class TestSession : SessionRequest
{
    private readonly Queue _queue;

    private TestSession(Queue queue, string? sessionId, TimeSpan patience)
        : base(sessionId, patience) => _queue = queue;

    public SessionHold? Hold { get; private set; }
    public QueueResult? Refusal { get; private set; }
    public bool IsLost { get; private set; }
    public string? Id => Hold?.Session.Id;
    public override LinkId? Link => LinkToBe;
    public LinkId? LinkToBe { get; set; }

    public static TestSession Ask(Queue queue, string? sessionId, TimeSpan? patience = null)
    {
        var session = new TestSession(queue, sessionId, patience ?? TimeSpan.FromMinutes(1));
        queue.Sessions!.Accept(session);
        return session;
    }

    public TestReceiver Receive(int credit, ReceiveMode mode = ReceiveMode.PeekLock) =>
        new(_queue, credit, mode, Hold ?? throw new InvalidOperationException("The session has not been assigned."));

    public void Release() => _queue.Sessions!.Release(Hold!);

    public override void OnAssigned(SessionHold hold) => Hold = hold;

    public override void OnRejected(QueueResult why) => Refusal = why;

    public override void OnLost() => IsLost = true;
}
