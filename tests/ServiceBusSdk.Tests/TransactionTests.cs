using System.Transactions;

namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class TransactionTests : BusTest
{
    private readonly ServiceBusClient _across;

    public TransactionTests(Bus bus)
        : base(bus) => _across = NewClient(options => options.EnableCrossEntityTransactions = true);

    [Fact]
    public async Task Completion_and_send_to_another_queue_commit_together()
    {
        var (from, to) = (await CreateQueueAsync(), await CreateQueueAsync());
        await SendAsync(from, 1);
        var (receiver, sender) = (_across.CreateReceiver(from), _across.CreateSender(to));
        var message = await OneAsync(receiver);
        using (var scope = NewScope())
        {
            await receiver.CompleteMessageAsync(message, Cancelled);
            await sender.SendMessageAsync(new ServiceBusMessage("answer"), Cancelled);
            Assert.Null(await PeekOutsideAsync(Receiver(to)));
            Assert.NotNull(await PeekOutsideAsync(Receiver(from)));
            scope.Complete();
        }

        Assert.Equal("answer", (await OneAsync(Receiver(to))).Body.ToString());
        Assert.Null(await Receiver(from).PeekMessageAsync(cancellationToken: Cancelled));
    }

    [Fact]
    public async Task Rollback_keeps_the_lock_and_sends_nothing()
    {
        var (from, to) = (await CreateQueueAsync(), await CreateQueueAsync());
        await SendAsync(from, 1);
        var (receiver, sender) = (_across.CreateReceiver(from), _across.CreateSender(to));
        var message = await OneAsync(receiver);
        using (NewScope())
        {
            await receiver.CompleteMessageAsync(message, Cancelled);
            await sender.SendMessageAsync(new ServiceBusMessage("never"), Cancelled);
        }

        await receiver.AbandonMessageAsync(message, cancellationToken: Cancelled);
        Assert.Equal(
            (message.MessageId, 2),
            await OneAsync(receiver) is var again ? (again.MessageId, again.DeliveryCount) : default
        );
        Assert.Null(await Receiver(to).PeekMessageAsync(cancellationToken: Cancelled));
    }

    [Fact]
    public async Task Session_message_can_be_settled_after_a_rollback()
    {
        var queue = await CreateSessionQueueAsync();
        await SendToSessionAsync(queue, "a", "1");
        var session = await Client.AcceptSessionAsync(queue, "a", cancellationToken: Cancelled);
        var message = await OneAsync(session);
        using (NewScope())
            await session.CompleteMessageAsync(message, Cancelled);

        await session.CompleteMessageAsync(message, Cancelled);

        Assert.Null(await session.PeekMessageAsync(fromSequenceNumber: 0, Cancelled));
        await FailsAsync(ServiceBusFailureReason.SessionLockLost, () =>
            session.CompleteMessageAsync(message, Cancelled)
        );
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Session_state_is_part_of_the_transaction(bool isCommitted)
    {
        var queue = await CreateSessionQueueAsync();
        await SendToSessionAsync(queue, "a", "1");
        var session = await Client.AcceptSessionAsync(queue, "a", cancellationToken: Cancelled);
        await session.SetSessionStateAsync(new BinaryData("before"), Cancelled);
        var message = await OneAsync(session);
        using (var scope = NewScope())
        {
            await session.SetSessionStateAsync(new BinaryData("after"), Cancelled);
            await session.CompleteMessageAsync(message, Cancelled);
            if (isCommitted)
                scope.Complete();
        }

        Assert.Equal(isCommitted ? "after" : "before", (await session.GetSessionStateAsync(Cancelled)).ToString());
        Assert.Equal(isCommitted, await session.PeekMessageAsync(fromSequenceNumber: 0, Cancelled) is null);
    }

    private static TransactionScope NewScope() => new(TransactionScopeAsyncFlowOption.Enabled);

    private static async Task<ServiceBusReceivedMessage?> PeekOutsideAsync(ServiceBusReceiver receiver)
    {
        using var outside = new TransactionScope(
            TransactionScopeOption.Suppress,
            TransactionScopeAsyncFlowOption.Enabled
        );
        return await receiver.PeekMessageAsync(fromSequenceNumber: 0, Cancelled);
    }
}
