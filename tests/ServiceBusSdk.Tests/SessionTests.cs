using System.Reflection;

namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class SessionTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task Batch_delete_removes_only_messages_of_its_session()
    {
        var queue = await CreateSessionQueueAsync();
        await SendToSessionAsync(queue, "a", "1", "2", "3");
        await SendToSessionAsync(queue, "b", "4", "5");
        var session = await Client.AcceptSessionAsync(queue, "a", cancellationToken: Cancelled);

        Assert.Equal(3, await DeleteAllAsync(session));

        Assert.Equal(["4", "5"], Bodies(await Receiver(queue).PeekMessagesAsync(10, cancellationToken: Cancelled)));
    }

    [Fact]
    public async Task Peek_shows_only_messages_of_its_session()
    {
        var queue = await CreateSessionQueueAsync();
        await SendToSessionAsync(queue, "a", "1");
        await SendToSessionAsync(queue, "b", "2");
        var session = await Client.AcceptSessionAsync(queue, "b", cancellationToken: Cancelled);

        Assert.Equal(["2"], Bodies(await session.PeekMessagesAsync(10, cancellationToken: Cancelled)));
    }

    [Fact]
    public async Task Deferred_message_is_received_only_in_its_session()
    {
        var queue = await CreateSessionQueueAsync();
        await SendToSessionAsync(queue, "a", "1");
        await SendToSessionAsync(queue, "b", "2");
        var session = await Client.AcceptSessionAsync(queue, "a", cancellationToken: Cancelled);
        var message = await OneAsync(session);
        await session.DeferMessageAsync(message, cancellationToken: Cancelled);
        var other = await Client.AcceptSessionAsync(queue, "b", cancellationToken: Cancelled);

        await FailsAsync(ServiceBusFailureReason.MessageNotFound, () =>
            other.ReceiveDeferredMessageAsync(message.SequenceNumber, Cancelled)
        );
        Assert.Equal("1", $"{(await session.ReceiveDeferredMessageAsync(message.SequenceNumber, Cancelled)).Body}");
    }

    [Fact]
    public async Task Settling_a_deferred_message_twice_keeps_the_session_lock()
    {
        var queue = await CreateSessionQueueAsync();
        await SendToSessionAsync(queue, "a", "1");
        var session = await Client.AcceptSessionAsync(queue, "a", cancellationToken: Cancelled);
        var message = await OneAsync(session);
        await session.DeferMessageAsync(message, cancellationToken: Cancelled);
        var deferred = await session.ReceiveDeferredMessageAsync(message.SequenceNumber, Cancelled);
        await session.CompleteMessageAsync(deferred, Cancelled);

        await FailsAsync(ServiceBusFailureReason.MessageLockLost, () =>
            session.CompleteMessageAsync(deferred, Cancelled)
        );
        await session.RenewSessionLockAsync(Cancelled);
    }

    /// <summary>Calls an operation that is internal in this version of the SDK.</summary>
    private static async Task<int> DeleteAllAsync(ServiceBusReceiver receiver)
    {
        var delete = typeof(ServiceBusReceiver)
            .GetMethods(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .Single(method => method.Name == "DeleteMessagesAsync");
        object?[] arguments =
        [
            .. delete
                .GetParameters()
                .Select(parameter =>
                    parameter.ParameterType == typeof(int) ? 10
                    : parameter.ParameterType == typeof(CancellationToken) ? Cancelled
                    : (object?)TimeProvider.System.GetUtcNow().AddHours(1)
                ),
        ];
        return await (Task<int>)delete.Invoke(receiver, arguments)!;
    }
}
