using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>An entity that can be sent to. What is sent arrives in a queue, which detects duplicates and keeps scheduled messages, and
/// goes on from there to each subscription that wants it.</summary>
public sealed class Topic
{
    /// <summary>As many as a topic may have.</summary>
    public const int MostSubscriptions = 2000;

    private readonly ConcurrentDictionary<string, Subscription> _subscriptions = new(StringComparer.OrdinalIgnoreCase);
    private readonly IRuleMessageReader _reader;
    private readonly IJournal _journal;
    private readonly QueueReceiver _receiver;
    private readonly Defects _defects;

    internal Topic(Queue intake, IRuleMessageReader reader, IJournal journal, Defects defects)
    {
        Intake = intake;
        _reader = reader;
        _journal = journal;
        _defects = defects;
        intake.HoldsBehind = Behind;
        _receiver = intake.AddReceiver(ReceiveMode.ReceiveAndDelete, Publish, error => defects.Report($"topic '{Name}'", error));
    }

    public string Name => Intake.Name;

    /// <summary>Where messages arrive. Nobody receives from it.</summary>
    public Queue Intake { get; }

    /// <summary>In the order of their names.</summary>
    public IReadOnlyList<Subscription> Subscriptions =>
        [.. _subscriptions.Values.OrderBy(subscription => subscription.Name, StringComparer.OrdinalIgnoreCase)];

    /// <summary>With what the subscriptions hold.</summary>
    public long SizeInBytes => Intake.SizeWithDeadLetters + Behind();

    public int SubscriptionCount => _subscriptions.Count;

    public bool TryGet(string name, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Subscription? subscription) =>
        _subscriptions.TryGetValue(name, out subscription);

    /// <exception cref="EntityException">NotFound.</exception>
    public Subscription Get(string name) =>
        _subscriptions.TryGetValue(name, out var subscription)
            ? subscription
            : throw new EntityException(EntityFailure.NotFound, $"There is no subscription '{Excerpt.Of(name)}' of topic '{Name}'.");

    internal Subscription Add(string name, Queue queue) => _subscriptions[name] = new Subscription(name, queue);

    internal bool TryRemove(string name, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Subscription? subscription) =>
        _subscriptions.TryRemove(name, out subscription);

    private long Behind() => _subscriptions.Values.Sum(subscription => subscription.Queue.SizeWithDeadLetters);

    /// <summary>Messages go on from now.</summary>
    internal void Open() => _receiver.Signal();

    private HandOver Publish(QueuedMessage message, MessageLock? held)
    {
        try
        {
            var shares = SharesOf(message);
            Move(message, shares);
            foreach (var share in shares)
                share.To.Queue.Dispatch();
            return HandOver.SentWantsMore;
        }
        catch (Exception error)
        {
            _defects.Report($"topic '{Name}'", error);
            Open(); // the next attempt counts, and the last one makes a dead letter of it
            return HandOver.Failed;
        }
    }

    /// <summary>All rules are asked ahead of the first copy, so that nothing fails behind it.</summary>
    private List<Subscription.Share> SharesOf(QueuedMessage message)
    {
        // It remembers too that the message cannot be read.
        var read = new Lazy<IRuleMessage>(() => _reader.Read(message), LazyThreadSafetyMode.None);
        var mostBytes = Intake.Options.MaxMessageSize;
        return [.. _subscriptions.Values.Select(subscription => subscription.ShareOf(read, () => _reader.Read(message), mostBytes))];
    }

    /// <summary>Kept together or not at all: a copy whose original came again would be a second one.</summary>
    private void Move(QueuedMessage message, List<Subscription.Share> shares)
    {
        _journal.BeginMove();
        try
        {
            foreach (var share in shares)
                share.HandOver(message);
            Intake.EndMove(message);
        }
        finally
        {
            _journal.EndMove();
        }
    }
}
