using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>An entity that can be sent to. What is sent arrives in a queue, which detects duplicates and keeps scheduled messages, and
/// goes on from there to each subscription that wants it.</summary>
internal sealed class Topic
{
    /// <summary>As many as a topic may have.</summary>
    public const int MostSubscriptions = 2000;

    private readonly Lock _changing = new();
    private readonly IRuleMessageReader? _reader;
    private readonly IJournal _journal;
    private readonly QueueReceiver _receiver;

    // Replaced, never changed in place: every message goes through all of them.
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

    /// <summary>Where messages arrive. Nobody receives from it.</summary>
    public Queue Intake { get; }

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Subscription> Subscriptions =>
        [.. _all.OrderBy(subscription => subscription.Name, StringComparer.OrdinalIgnoreCase)];

    /// <summary>Memory of the messages that the subscriptions have.</summary>
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

    /// <summary>Messages go on from now.</summary>
    internal void Open() => _receiver.Signal();

    private DeliveryResult Publish(QueuedMessage message, MessageLock? held)
    {
        try
        {
            var shares = SharesOf(message);
            // Kept together or not at all: a copy whose original came again would be a second one.
            if (!_journal.TryMove(() => HandOn(message, shares)))
                return DeliveryResult.Refused;
            foreach (var share in shares)
                share.To.Queue.Dispatch();
            return DeliveryResult.SentWantsMore;
        }
        catch (Exception error)
        {
            // Whatever is wrong with a message fails it for one subscription alone.
            Intake.Fail(error);
            return DeliveryResult.Failed;
        }
    }

    /// <summary>All rules are asked ahead of the first copy, so that nothing fails behind it.</summary>
    private List<Subscription.Share> SharesOf(QueuedMessage message)
    {
        // It remembers too that the message cannot be read.
        var read = new Lazy<IRuleMessage>(Read, LazyThreadSafetyMode.None);
        var mostBytes = Intake.Options.MaxMessageSize;
        return [.. _all.Select(subscription => subscription.ShareOf(read, Read, mostBytes))];

        IRuleMessage Read() => _reader?.Read(message) ?? throw new FilterException("Messages are opaque here.");
    }

    private void HandOn(QueuedMessage message, List<Subscription.Share> shares)
    {
        foreach (var share in shares)
            share.Deliver(message);
        Intake.EndMove(message);
    }
}
