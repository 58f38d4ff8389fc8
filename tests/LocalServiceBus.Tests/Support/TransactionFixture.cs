namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>
/// Two queues and the transactions of one client, on a manual clock, with shorthand for common operations.
/// </summary>
internal sealed class TransactionFixture : IDisposable
{
    public static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

    public TransactionFixture(Func<QueueOptions, QueueOptions>? configure = null, IJournal? journal = null)
    {
        Entities = new ServiceBusNamespace(Clock) { Journal = journal ?? NoJournal.Instance };
        var options = new QueueOptions("orders") { LockDuration = LockDuration };
        Orders = Entities.Create(configure?.Invoke(options) ?? options);
        Invoices = Entities.Create(new QueueOptions("invoices"));
        Transactions = new ClientTransactions(Entities, limit: 4, Keep, bytes => Keep(-bytes), () => { });
    }

    public ManualTimeProvider Clock { get; } = new();
    public ServiceBusNamespace Entities { get; }
    public Queue Orders { get; }
    public Queue Invoices { get; }
    public ClientTransactions Transactions { get; }
    public long Kept { get; private set; }

    public byte[] Declare() => ((Declared)Transactions.Declare(this)).TxnId;

    public AmqpError? Send(byte[] transaction, Queue queue, params string[] texts) =>
        Transactions.Join(transaction, new SendRequest(queue, [.. texts.Select(QueueFixture.Content)]), Orders.Name);

    public AmqpError? Settle(byte[] transaction, MessageLock held, Settlement settlement) =>
        Transactions.Join(transaction, new SettleRequest(Orders, held.Token, settlement), Orders.Name);

    public AmqpError? Commit(byte[] transaction) => Transactions.Discharge(new Discharge(transaction));

    public AmqpError? RollBack(byte[] transaction) => Transactions.Discharge(new Discharge(transaction, Fail: true));

    /// <summary>Sends outside of any transaction and locks.</summary>
    public MessageLock[] Lock(params string[] texts)
    {
        Orders.Send(texts);
        var locks = new List<MessageLock>();
        while (locks.Count < texts.Length)
        {
            // With more messages, the queue delivers some on another thread.
            var receiver = new TestReceiver(Orders, Math.Min(100, texts.Length - locks.Count));
            receiver.Close();
            Assert.NotEmpty(receiver.Locks);
            locks.AddRange(receiver.Locks);
        }
        return [.. locks];
    }

    /// <summary>Lists all messages with their states, in both queues and their dead-letter queues.</summary>
    public IReadOnlyList<string> Snapshot() =>
        [
            .. new[] { Orders, Orders.DeadLetterQueue!, Invoices, Invoices.DeadLetterQueue! }.SelectMany(queue =>
                queue
                    .Snapshot()
                    .Messages.Select(message =>
                        $"{queue.Name} {QueueFixture.TextOf(message)} {message.State} {message.DeliveryCount}"
                    )
            ),
        ];

    public void Dispose()
    {
        Transactions.Dispose();
        Entities.Dispose();
    }

    private bool Keep(long bytes)
    {
        Kept += bytes;
        return true;
    }
}
