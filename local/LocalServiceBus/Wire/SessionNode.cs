using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

internal static class SessionNode
{
    public const string SessionId = "session-id";

    public static AmqpMessage? Handle(Queue queue, ManagementRequest request, object? connection)
    {
        var by = RequesterOf(request, connection);
        return request.Operation switch
        {
            "renew-session-lock" => Renew(queue, request, by),
            "get-session-state" => GetState(queue, request, by),
            "renew-lock" => ManagementReply.Failed(LockedWithSession),
            "receive-by-sequence-number" when !queue.Sessions!.IsHeld(request.Get<string>(SessionId), by) => LockLost(),
            "batch-delete-messages"
                when request.GetOrDefault<string>(SessionId) is { } id && !queue.Sessions!.IsHeld(id, by) => LockLost(),
            _ => null,
        };
    }

    /// <summary>Returns the link that the request refers to. Requests must come from the session's holder, which may
    /// not have noticed the loss of its lock.</summary>
    public static LinkId? RequesterOf(ManagementRequest request, object? connection) =>
        connection is null ? null : new(connection, request.Link);

    private static AmqpError LockedWithSession { get; } =
        new(
            ErrorConditions.NotAllowed,
            "Messages of a session are locked with the session. Renew the session lock instead."
        );

    private static AmqpMessage LockLost() => ManagementReply.Failed(ClientErrors.SessionLockLost);

    private static AmqpMessage Renew(Queue queue, ManagementRequest request, LinkId? by) =>
        queue.Sessions!.Renew(request.Get<string>(SessionId), by) is { } until
            ? ManagementReply.Ok("expiration", until)
            : LockLost();

    private static AmqpMessage GetState(Queue queue, ManagementRequest request, LinkId? by) =>
        queue.Sessions!.StateOf(request.Get<string>(SessionId), by) is (var state, true)
            ? ManagementReply.Ok("session-state", state)
            : LockLost();
}
