using System.Collections.Concurrent;
using System.Globalization;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Questions and answers over a pair of links to one node: <c>$cbs</c> or <c>queue/$management</c>. An answer's correlation-id is its
/// question's message-id; both go settled.
/// </summary>
internal sealed class RequestResponse : ISenderHandler, IReceiverHandler
{
    private const uint AnswerCredit = 50;
    private readonly ConcurrentDictionary<string, TaskCompletionSource<AmqpMessage>> _pending = new();
    private readonly string _replyTo = Guid.NewGuid().ToString("N");
    private readonly AmqpSession _session;
    private SenderLink _requests = null!;
    private ReceiverLink _answers = null!;
    private uint _answered;
    private long _lastId;

    private RequestResponse(AmqpSession session) => _session = session;

    public bool IsOpen => !_requests.IsClosed && !_answers.IsClosed;

    public static async Task<RequestResponse> OpenAsync(AmqpConnection connection, string address, CancellationToken cancellationToken)
    {
        var session = await connection.BeginSessionAsync(null, cancellationToken);
        var pair = new RequestResponse(session);
        try
        {
            await pair.AttachAsync(address, cancellationToken);
            return pair;
        }
        catch
        {
            await pair.CloseAsync();
            throw;
        }
    }

    /// <exception cref="AmqpException">The links broke before the answer came.</exception>
    public async Task<AmqpMessage> AskAsync(AmqpMessage request, CancellationToken cancellationToken)
    {
        var id = Interlocked.Increment(ref _lastId).ToString(CultureInfo.InvariantCulture);
        request.Properties = new MessageProperties { MessageId = id, ReplyTo = _replyTo };
        var answer = new TaskCompletionSource<AmqpMessage>(TaskCreationOptions.RunContinuationsAsynchronously);
        _pending[id] = answer;
        try
        {
            if (!IsOpen)
                throw Broken(null);
            await _requests.SendAsync(request.ToArray(), messageFormat: 0, settled: true, cancellationToken);
            return await answer.Task.WaitAsync(cancellationToken);
        }
        finally
        {
            _pending.TryRemove(id, out _);
        }
    }

    public Task CloseAsync() => _session.EndQuietlyAsync();

    void IReceiverHandler.OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        if (++_answered % (AnswerCredit / 2) == 0)
            link.AddCredit(AnswerCredit / 2);
        var message = AmqpMessage.Decode(delivery.Payload);
        if (message.Properties?.CorrelationId is string id && _pending.TryRemove(id, out var answer))
            answer.TrySetResult(message);
    }

    void IReceiverHandler.OnDisposition(ReceiverLink link, uint deliveryId, DeliveryState? state, bool settled)
    {
    }

    void IReceiverHandler.OnFlow(ReceiverLink link)
    {
    }

    void IReceiverHandler.OnDetached(ReceiverLink link, AmqpError? error) => FailAll(error);

    void ISenderHandler.OnFlow(SenderLink link)
    {
    }

    void ISenderHandler.OnDisposition(SenderLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
    }

    void ISenderHandler.OnDetached(SenderLink link, AmqpError? error) => FailAll(error);

    private async Task AttachAsync(string address, CancellationToken cancellationToken)
    {
        _requests = await _session.AttachSenderAsync(
            new Attach
            {
                Name = $"{address}:requests:{_replyTo}",
                Source = new Source { Address = _replyTo },
                Target = new Target { Address = address },
                SndSettleMode = SenderSettleMode.Settled,
            },
            this,
            cancellationToken);
        _answers = await _session.AttachReceiverAsync(
            new Attach
            {
                Name = $"{address}:answers:{_replyTo}",
                Source = new Source { Address = address },
                Target = new Target { Address = _replyTo },
                SndSettleMode = SenderSettleMode.Settled,
            },
            this,
            cancellationToken);
        _answers.AddCredit(AnswerCredit);
    }

    private void FailAll(AmqpError? error)
    {
        foreach (var id in _pending.Keys)
        {
            if (_pending.TryRemove(id, out var answer))
                answer.TrySetException(Broken(error));
        }
    }

    private static AmqpException Broken(AmqpError? error) =>
        new(error ?? new AmqpError(ErrorConditions.DetachForced, "The link to the broker closed before the answer came."));
}
