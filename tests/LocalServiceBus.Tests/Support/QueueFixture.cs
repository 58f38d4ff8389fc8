namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A queue with a manual clock, and shorthand for common operations.</summary>
internal sealed class QueueFixture : IDisposable
{
    private readonly ServiceBusNamespace _entities;

    public QueueFixture(Func<QueueOptions, QueueOptions>? configure = null)
    {
        _entities = new ServiceBusNamespace(Clock);
        var options = new QueueOptions("orders") { LockDuration = TimeSpan.FromSeconds(30) };
        Queue = _entities.Create(configure?.Invoke(options) ?? options);
    }

    public ManualTimeProvider Clock { get; } = new();
    public Queue Queue { get; }
    public Queue DeadLetters => Queue.DeadLetterQueue!;

    public static MessageContent Content(string text) => new(Encoding.UTF8.GetBytes(text)) { MessageId = text };

    public static MessageContent Content(string text, string? sessionId) =>
        Content(text) with
        {
            SessionId = sessionId,
        };

    public static string TextOf(QueuedMessage message) => Encoding.UTF8.GetString(message.Content.Body.Span);

    public long Send(MessageContent content) => Queue.Send(content);

    public void Send(params string[] texts) => Queue.Send(texts);

    public void SendTo(string sessionId, params string[] texts)
    {
        foreach (var text in texts)
            Send(Content(text, sessionId));
    }

    public TestSession Accept(string? sessionId = null) => TestSession.Ask(Queue, sessionId);

    public TestReceiver Receive(int credit, ReceiveMode mode = ReceiveMode.PeekLock) => new(Queue, credit, mode);

    public IReadOnlyList<string> PeekTexts(Queue? queue = null) => [.. (queue ?? Queue).Peek(0, 100).Select(TextOf)];

    /// <summary>
    /// Calls <c>$management</c>. The request and the reply are encoded and decoded, so that types are those that
    /// clients see.
    /// </summary>
    public AmqpMessage Call(
        string operation,
        (string Name, object? Value)[] arguments,
        string? link = null,
        object? connection = null
    )
    {
        var request = AmqpClient.Request(operation, arguments);
        request.ApplicationProperties!["associated-link-name"] = link;
        AmqpMessage? reply = null;
        new ManagementNode(Queue, null, null, connection).Handle(AmqpMessage.Decode(request.ToArray()), answer =>
            reply = answer
        );
        return AmqpMessage.Decode(reply!.ToArray());
    }

    public void DeleteQueue() => _entities.Delete(Queue.Name);

    public void Dispose() => _entities.Dispose();
}

internal static class QueueExtensions
{
    public static long Send(this Queue queue, MessageContent content)
    {
        var numbers = new long[1];
        Assert.Equal(QueueResult.Done, queue.Enqueue([content], numbers));
        return numbers[0];
    }

    public static void Send(this Queue queue, params string[] texts)
    {
        foreach (var text in texts)
            queue.Send(QueueFixture.Content(text));
    }

    /// <summary>Returns the complete contents of the queue for comparison.</summary>
    public static (long LastSequenceNumber, IReadOnlyList<QueuedMessage> Messages) Snapshot(this Queue queue)
    {
        lock (queue.Gate)
        {
            return (
                queue.Contents.LastSequenceNumber,
                [.. queue.Contents.Store.From(0).Select(message => message.Copy())]
            );
        }
    }

    /// <param name="sequenceNumbers">Receives the number of each message; 0 for a duplicate.</param>
    public static QueueResult Enqueue(this Queue queue, MessageContent[] messages, long[] sequenceNumbers) =>
        Do(queue, new SendRequest(queue, messages) { Numbers = sequenceNumbers });

    public static QueueResult Settle(this Queue queue, MessageLock held, Settlement settlement) =>
        queue.Settle(held.Token, settlement);

    public static QueueResult Settle(this Queue queue, Guid token, Settlement settlement) =>
        Do(queue, new SettleRequest(queue, token, settlement));

    public static QueueResult SetSessionState(this Queue queue, string id, byte[]? state) =>
        Do(queue, new SetStateRequest(queue, id, state, by: null));

    public static bool HasWaitingReceivers(this Queue queue)
    {
        lock (queue.Gate)
            return queue.Sessions!.HasWaiting;
    }

    public static bool CancelScheduled(this Queue queue, IReadOnlyList<long> sequenceNumbers) =>
        Do(queue, new CancelScheduledRequest(queue, sequenceNumbers)) == QueueResult.Done;

    private static QueueResult Do(Queue queue, QueueRequest request)
    {
        queue.Do(request);
        return request.Result;
    }
}
