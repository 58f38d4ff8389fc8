using System.Collections.Concurrent;
using System.Threading.Channels;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus.Tests.Support;

/// <summary>Hands out the bytes that it was given, a message or not, and remembers how they were settled.</summary>
internal sealed class ScriptedQueue : ISenderHandler
{
    private readonly ConcurrentQueue<byte[]> _messages = [];
    private readonly Channel<Action> _unanswered = Channel.CreateUnbounded<Action>();

    public ConcurrentQueue<DeliveryState?> Outcomes { get; } = [];

    /// <summary>False: settlements wait for <see cref="AnswerAsync"/>.</summary>
    public bool AnswersAtOnce { get; set; } = true;

    /// <summary>Answers the settlement that waits, or the next one.</summary>
    public async Task AnswerAsync() => (await _unanswered.Reader.ReadAsync(TestContext.Current.CancellationToken))();

    public void Add(params byte[][] more)
    {
        foreach (var message in more)
            _messages.Enqueue(message);
    }

    void ISenderHandler.OnFlow(SenderLink link)
    {
        var settled = link.Remote.SndSettleMode == SenderSettleMode.Settled;
        while (link.Credit > 0 && _messages.TryDequeue(out var message))
            link.TrySend(Guid.NewGuid().ToByteArray(), message, [], 0, settled, null, out _);
        if (link.IsDraining)
            link.CompleteDrain();
    }

    void ISenderHandler.OnDisposition(SenderLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        Outcomes.Enqueue(state);
        if (settled)
            return;
        if (AnswersAtOnce)
            link.Settle(deliveryId, state);
        else
            _unanswered.Writer.TryWrite(() => link.Settle(deliveryId, state));
    }

    void ISenderHandler.OnDetached(SenderLink link, AmqpError? error)
    {
    }
}
