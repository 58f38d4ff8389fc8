using System.Collections.Concurrent;
using System.Diagnostics;

namespace Azure.Messaging.ServiceBus.Tests.Support;

/// <summary>What a subscriber of the library's listener sees of one queue.</summary>
internal sealed class DiagnosticEvents : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>, IDisposable
{
    private readonly string _queue;
    private readonly List<IDisposable> _subscriptions = [];
    private readonly ConcurrentQueue<Event> _events = [];

    public DiagnosticEvents(string queue)
    {
        _queue = queue;
        _subscriptions.Add(DiagnosticListener.AllListeners.Subscribe(this));
    }

    public IReadOnlyList<Event> All => [.. _events];

    public IReadOnlyList<Event> Stops => [.. _events.Where(e => e.Name.EndsWith(".Stop", StringComparison.Ordinal))];

    public void Dispose()
    {
        foreach (var subscription in _subscriptions)
            subscription.Dispose();
    }

    void IObserver<DiagnosticListener>.OnNext(DiagnosticListener value)
    {
        if (value.Name == "Azure.Messaging.ServiceBus")
            _subscriptions.Add(value.Subscribe(this));
    }

    void IObserver<KeyValuePair<string, object?>>.OnNext(KeyValuePair<string, object?> value)
    {
        // As collectors do: the operation is the current activity, whatever the payload is.
        var ours = new KeyValuePair<string, string?>("message_bus.destination", _queue);
        if (Activity.Current is { } activity && activity.Tags.Contains(ours))
            _events.Enqueue(new Event(value.Key, activity, value.Value));
    }

    void IObserver<DiagnosticListener>.OnCompleted()
    {
    }

    void IObserver<DiagnosticListener>.OnError(Exception error)
    {
    }

    void IObserver<KeyValuePair<string, object?>>.OnCompleted()
    {
    }

    void IObserver<KeyValuePair<string, object?>>.OnError(Exception error)
    {
    }

    internal sealed record Event(string Name, Activity Activity, object? Payload)
    {
        public Dictionary<string, string?> Tags { get; } = Activity.Tags.ToDictionary();
    }
}
