namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Logs the start, the causes, and the end of a dependency's outage, once each. Thread-safe.</summary>
public sealed partial class OutageLog(string dependency, ILogger logger)
{
    // Limits the set, because some messages contain a port or an id.
    private const int MaxCauses = 5;

    private readonly HashSet<string> _causes = [];
    private volatile bool _isOut;

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

    public void Succeeded()
    {
        // Avoids the lock on successful calls.
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
        Message = "{Dependency}: {Cause} Further failures with this cause are not logged until it recovers."
    )]
    private static partial void Began(ILogger logger, string dependency, string cause);

    [LoggerMessage(Level = LogLevel.Information, Message = "{Dependency} recovered.")]
    private static partial void Ended(ILogger logger, string dependency);
}
