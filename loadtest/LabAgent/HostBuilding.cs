using System.Diagnostics;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.LabAgent;

/// <summary>
/// Hooks into a host before it is built, like WebApplicationFactory: listens to the diagnostic event that every host emits.
/// </summary>
internal sealed class HostBuilding : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>
{
    private const string Listener = "Microsoft.Extensions.Hosting",
        Event = "HostBuilding";
    private readonly Action<IHostBuilder> _act;
    private IDisposable? _listeners,
        _events;

    private HostBuilding(Action<IHostBuilder> act) => _act = act;

    /// <summary>Acts on the next host that this process builds.</summary>
    public static void WhenNext(Action<IHostBuilder> act)
    {
        var observer = new HostBuilding(act);
        observer._listeners = DiagnosticListener.AllListeners.Subscribe(observer);
    }

    void IObserver<DiagnosticListener>.OnNext(DiagnosticListener value)
    {
        if (value.Name == Listener)
            _events = value.Subscribe(this, name => name == Event);
    }

    void IObserver<KeyValuePair<string, object?>>.OnNext(KeyValuePair<string, object?> value)
    {
        if (value is not { Key: Event, Value: IHostBuilder host })
            return;
        _events?.Dispose();
        _listeners?.Dispose();
        _act(host);
    }

    public void OnCompleted() { }

    public void OnError(Exception error) { }
}
