using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A topic. Its intake queue detects duplicates, stores scheduled messages, and passes each message to the
/// subscriptions.</summary>
internal sealed class Topic
{
    public const int MaxSubscriptions = 2000;

    private readonly Lock _changing = new();
    private readonly IRuleMessageReader? _reader;
    private readonly IJournal _journal;
    private readonly QueueReceiver _receiver;

    // Immutable, because every message enumerates it.
    private volatile Subscription[] _all = [];

    internal Topic(Queue intake, IRuleMessageReader? reader, IJournal journal, Defects defects)
    {
        Intake = intake;
        _reader = reader;
        _journal = journal;
        _receiver = intake.AddReceiver(
            ReceiveMode.ReceiveAndDelete,
            Publish,
            error => defects.Report($"topic '{Name}'", error),
            isOwn: true
        );
    }

    public string Name => Intake.Name;

    /// <summary>The queue in which messages arrive. Clients can't receive from it.</summary>
    public Queue Intake { get; }

    public IReadOnlyList<Subscription> Subscriptions =>
        [.. _all.OrderBy(subscription => subscription.Name, StringComparer.OrdinalIgnoreCase)];

    public long SubscribedBytes
    {
        get
        {
            var size = 0L;
            foreach (var subscription in _all)
                size += subscription.Queue.SizeInBytes;
            return size;
        }
    }

    public int SubscriptionCount => _all.Length;

    internal Subscription Add(Queue queue)
    {
        var added = new Subscription(this, queue);
        lock (_changing)
            _all = [.. _all, added];
        return added;
    }

    internal void Remove(Subscription subscription)
    {
        lock (_changing)
            _all = [.. _all.Where(one => one != subscription)];
    }

    internal void Open() => _receiver.Signal();

    private DeliveryResult Publish(QueuedMessage message, MessageLock? held)
    {
        try
        {
            var shares = SharesOf(message);
            // Atomic: if only the copies were stored, the original would be distributed again after a restart.
            if (!_journal.TryMove(() => Distribute(message, shares)))
                return DeliveryResult.NotSent;
            foreach (var share in shares)
                share.To.Queue.Dispatch();
            return DeliveryResult.SentWantsMore;
        }
        catch (Exception error)
        {
            // An invalid message fails only for its subscription, so this is an internal error.
            Intake.Fail(error);
            return DeliveryResult.Failed;
        }
    }

    /// <summary>Evaluates all rules before the first copy is delivered, so that a failure can't leave some
    /// delivered.</summary>
    private List<Subscription.Share> SharesOf(QueuedMessage message)
    {
        // The lazy value also caches the exception of an unreadable message.
        var read = new Lazy<IRuleMessage>(Read, LazyThreadSafetyMode.None);
        var maxSize = Intake.Options.MaxMessageSize;
        return [.. _all.Select(subscription => subscription.ShareOf(read, Read, maxSize))];

        IRuleMessage Read() => _reader?.Read(message) ?? throw new FilterException("This broker cannot read messages.");
    }

    private void Distribute(QueuedMessage message, List<Subscription.Share> shares)
    {
        foreach (var share in shares)
            share.Deliver(message);
        Intake.EndMove(message);
    }
}
