using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Transactions;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>What <c>$management</c> answers to requests that are part of a transaction.</summary>
internal static class TransactionNode
{
    private const string Prefix = "com.microsoft:";

    /// <param name="queue">Of the node.</param>
    /// <param name="request">To it.</param>
    /// <param name="join">Makes a step a part of the transaction, or says why it cannot be.</param>
    /// <exception cref="AmqpException">An argument is missing or of another type.</exception>
    public static AmqpMessage Answer(Queue queue, ManagementRequest request, Func<TransactionStep, AmqpError?> join) =>
        request.Operation switch
        {
            Prefix + "update-disposition" => Settle(queue, request, join),
            Prefix + "schedule-message" => Schedule(queue, request, join),
            Prefix + "cancel-scheduled-message" => Reply(join(new CancelStep(queue, request.GetArray<long>("sequence-numbers")))),
            var other => ManagementReply.Failed(400, Refusal.NotInTransaction(other ?? "")),
        };

    /// <summary>Up to the first that cannot be settled.</summary>
    private static AmqpMessage Settle(Queue queue, ManagementRequest request, Func<TransactionStep, AmqpError?> join)
    {
        var settlement = ManagementNode.SettlementOf(request);
        var errors = request.GetArray<Guid>("lock-tokens").Select(token => join(new SettleStep(queue, token, settlement)));
        return Reply(errors.FirstOrDefault(error => error is not null));
    }

    /// <summary>The client gets the numbers at once: with them it cancels messages later.</summary>
    private static AmqpMessage Schedule(Queue queue, ManagementRequest request, Func<TransactionStep, AmqpError?> join)
    {
        var step = new SendStep(queue, ManagementNode.ContentsOf(request, queue), isNumbered: true);
        return join(step) is { } error ? Reply(error) : ManagementReply.Ok("sequence-numbers", step.Numbers);
    }

    private static AmqpMessage Reply(AmqpError? error) =>
        error is null ? ManagementReply.Ok() : ManagementReply.Failed(StatusOf(error.Condition), error);

    private static int StatusOf(Symbol condition) => condition.Value switch
    {
        ServiceBusErrors.MessageLockLost or ServiceBusErrors.SessionLockLost => 410,
        ServiceBusErrors.MessageNotFound => 404,
        ErrorConditions.ResourceLimitExceeded => 403,
        _ => 400,
    };
}
