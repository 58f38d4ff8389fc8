using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>What <c>$management</c> answers about the sessions of a queue.</summary>
internal static class SessionNode
{
    public const string SessionId = "session-id";

    /// <returns>Null: the operation is as in a queue without sessions.</returns>
    /// <exception cref="AmqpException">An argument is missing or of another type.</exception>
    public static AmqpMessage? Answer(Queue queue, ManagementRequest request, object? connection)
    {
        var by = AskerOf(request, connection);
        return request.Operation switch
        {
            "renew-session-lock" => Renew(queue, request, by),
            "get-session-state" => GetState(queue, request, by),
            "renew-lock" => ManagementReply.Failed(MessagesAreLockedWithTheirSession),
            "receive-by-sequence-number" when !queue.Sessions!.IsHeld(request.Get<string>(SessionId), by) => LockLost(),
            "batch-delete-messages"
                when request.GetOrDefault<string>(SessionId) is { } id && !queue.Sessions!.IsHeld(id, by) => LockLost(),
            _ => null,
        };
    }

    /// <summary>Who has lost the session may hear of it later than it asks, and no client works in the sessions of another.</summary>
    /// <returns>Null: whoever has the session.</returns>
    public static LinkId? AskerOf(ManagementRequest request, object? connection) =>
        connection is null ? null : new(connection, request.Link);

    private static AmqpError MessagesAreLockedWithTheirSession { get; } =
        new(ErrorConditions.NotAllowed, "Messages of a session are locked as long as the session: renew that.");

    private static AmqpMessage LockLost() => ManagementReply.Failed(Refusal.SessionLockLost);

    private static AmqpMessage Renew(Queue queue, ManagementRequest request, LinkId? by) =>
        queue.Sessions!.Renew(request.Get<string>(SessionId), by) is { } until
            ? ManagementReply.Ok("expiration", until)
            : LockLost();

    private static AmqpMessage GetState(Queue queue, ManagementRequest request, LinkId? by) =>
        queue.Sessions!.StateOf(request.Get<string>(SessionId), by) is (var state, true)
            ? ManagementReply.Ok("session-state", state)
            : LockLost();
}
