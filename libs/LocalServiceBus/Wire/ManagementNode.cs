using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The <c>$management</c> node of a queue. SDKs cast what they read, so the types of the replies are part of the protocol.</summary>
internal sealed class ManagementNode(Queue queue, SettlementLatency? latency)
{
    const string Prefix = "com.microsoft:";

    // A peek may be answered with less than was asked for, as by the service: clients go on behind the last message they got.
    const int MostPeeked = 250, MostPeekedBytes = 1024 * 1024;

    public void Handle(AmqpMessage message, Action<AmqpMessage> answer)
    {
        var request = new ManagementRequest(message);
        var reply = Reply(request);
        if (latency is not null && request.Operation == Prefix + "update-disposition") latency.Answer(() => answer(reply));
        else answer(reply);
    }

    AmqpMessage Reply(ManagementRequest request)
    {
        try
        {
            return request.Operation switch
            {
                Prefix + "renew-lock" => RenewLocks(request),
                Prefix + "update-disposition" => Settle(request),
                Prefix + "peek-message" => Peek(request),
                Prefix + "receive-by-sequence-number" => ReceiveDeferred(request),
                Prefix + "schedule-message" => Schedule(request),
                Prefix + "cancel-scheduled-message" => Cancel(request),
                Prefix + "batch-delete-messages" => Delete(request),
                _ => ManagementReply.Failed(501, new(ErrorConditions.NotImplemented, $"This broker has no operation '{request.Operation}'.")),
            };
        }
        catch (AmqpException error)
        {
            return ManagementReply.Failed(400, error.Error);
        }
    }

    AmqpMessage RenewLocks(ManagementRequest request)
    {
        var renewed = request.GetArray<Guid>("lock-tokens").Select(queue.RenewLock).ToList();
        return renewed.Contains(null)
            ? ManagementReply.Failed(410, Outcome.LockLost)
            : ManagementReply.Ok("expirations", renewed.Select(until => until!.Value).ToArray());
    }

    AmqpMessage Settle(ManagementRequest request)
    {
        var settlement = SettlementOf(request);
        var results = request.GetArray<Guid>("lock-tokens").Select(token => queue.Settle(token, settlement)).ToList();
        if (results.Contains(SettleResult.LockLost)) return ManagementReply.Failed(410, Outcome.LockLost);
        return results.Contains(SettleResult.NotAllowed) ? ManagementReply.Failed(400, Outcome.NotAllowed) : ManagementReply.Ok();
    }

    static Settlement SettlementOf(ManagementRequest request)
    {
        var properties = request.GetProperties("properties-to-modify");
        return request.Get<string>("disposition-status") switch
        {
            "completed" => Settlement.Complete,
            "abandoned" => new Settlement.Abandoned(properties),
            "defered" => new Settlement.Deferred(properties), // spelt so by the protocol
            "suspended" => new Settlement.DeadLettered(
                request.GetOrDefault<string>("deadletter-reason"), request.GetOrDefault<string>("deadletter-description"), properties),
            "unlocked" => Settlement.Release,
            var other => throw new AmqpException(new(ServiceBusErrors.ArgumentError,
                $"disposition-status '{other}' is none of completed, abandoned, defered, suspended, unlocked.")),
        };
    }

    AmqpMessage Peek(ManagementRequest request)
    {
        var messages = queue.Peek(request.Get<long>("from-sequence-number"), Math.Min(request.Get<int>("message-count"), MostPeeked));
        var room = MostPeekedBytes;
        var entries = messages
            .Select(message => OutgoingMessage.ToArray(message, null))
            .TakeWhile((encoded, position) => (room -= encoded.Length) >= 0 || position == 0) // the first whatever its size
            .Select(encoded => ManagementReply.Entry(encoded, null))
            .ToList<object?>();
        return entries.Count == 0 ? ManagementReply.Empty() : ManagementReply.Ok("messages", entries);
    }

    AmqpMessage ReceiveDeferred(ManagementRequest request)
    {
        var mode = request.GetOrDefault<uint>("receiver-settle-mode") == (uint)ReceiverSettleMode.First ? ReceiveMode.ReceiveAndDelete : ReceiveMode.PeekLock;
        return queue.ReceiveDeferred(request.GetArray<long>("sequence-numbers"), mode) is { } received
            ? ManagementReply.Ok("messages", received.Select(entry => ManagementReply.Entry(OutgoingMessage.ToArray(entry.Message, entry.Lock), entry.Lock)).ToList<object?>())
            : ManagementReply.NotFound("deferred");
    }

    AmqpMessage Schedule(ManagementRequest request)
    {
        var messages = request.Get<List<object?>>("messages").Select(Content).ToArray();
        var numbers = new long[messages.Length];
        return queue.Enqueue(messages, numbers) switch
        {
            EnqueueResult.Accepted => ManagementReply.Ok("sequence-numbers", numbers),
            EnqueueResult.Failed => ManagementReply.Failed(500, Refusal.Failed(queue.Name)),
            EnqueueResult.QuotaExceeded => ManagementReply.Failed(403, Refusal.QueueFull(queue)),
            _ => ManagementReply.Failed(403, Refusal.Disabled(queue.Name)),
        };
    }

    MessageContent Content(object? entry)
    {
        if (entry is not Dictionary<object, object?> map || map.GetValueOrDefault("message") is not byte[] encoded)
            throw ManagementRequest.Bad("messages", typeof(byte[]));
        return encoded.Length <= queue.Options.MaxMessageSize
            ? IncomingMessage.Read(encoded, queue.Options.RequiresDuplicateDetection)
            : throw new AmqpException(Refusal.TooLarge(queue));
    }

    AmqpMessage Cancel(ManagementRequest request) => queue.CancelScheduled(request.GetArray<long>("sequence-numbers"))
        ? ManagementReply.Ok()
        : ManagementReply.NotFound("scheduled");

    AmqpMessage Delete(ManagementRequest request) => ManagementReply.Ok("message-count",
        queue.DeleteActive(request.Get<int>("message-count"), request.GetOrDefault<DateTimeOffset?>("enqueued-time-utc") ?? DateTimeOffset.MaxValue));
}
