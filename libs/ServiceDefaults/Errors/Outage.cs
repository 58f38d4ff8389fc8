namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Logs the causes of a dependency's outage and its end, once each, however many requests fail in between. Thread-safe.</summary>
public sealed partial class Outage(string dependency, ILogger logger)
{
    // Some messages contain a port or an id, so the number of different causes has a limit.
    private const int MaxCauses = 5;

    private readonly HashSet<string> _causes = [];
    private volatile bool _isOut;

    /// <summary>A call failed. Each cause is logged once per outage.</summary>
    public void Failed(string cause)
    {
        lock (_causes)
        {
            _isOut = true;
            if (_causes.Count == MaxCauses || !_causes.Add(cause))
                return;
        }
        Began(logger, dependency, cause);
    }

    /// <summary>A call succeeded.</summary>
    public void Succeeded()
    {
        // Read first: this runs on every call.
        if (!_isOut)
            return;
        lock (_causes)
        {
            if (!_isOut)
                return;
            _isOut = false;
            _causes.Clear();
        }
        Ended(logger, dependency);
    }

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "{Dependency}: {Cause} Further failures of this kind are not logged until it works again."
    )]
    private static partial void Began(ILogger logger, string dependency, string cause);

    [LoggerMessage(Level = LogLevel.Information, Message = "{Dependency} works again.")]
    private static partial void Ended(ILogger logger, string dependency);
}
