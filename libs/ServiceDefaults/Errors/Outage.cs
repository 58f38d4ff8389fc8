namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Logs the start and the end of a dependency's outage, once each, however many requests fail in between. Thread-safe.</summary>
public sealed partial class Outage(string dependency, ILogger logger)
{
    private string? _cause;

    /// <summary>A call failed. Logged when it is the first, or when the cause has changed.</summary>
    public void Failed(string cause)
    {
        if (Interlocked.Exchange(ref _cause, cause) != cause)
            Began(logger, dependency, cause);
    }

    /// <summary>A call succeeded.</summary>
    public void Succeeded()
    {
        // Read first: this runs on every call, and an exchange would make all cores fight for one cache line.
        if (Volatile.Read(ref _cause) is not null && Interlocked.Exchange(ref _cause, null) is not null)
            Ended(logger, dependency);
    }

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "{Dependency}: {Cause} Further failures are not logged until it works again."
    )]
    private static partial void Began(ILogger logger, string dependency, string cause);

    [LoggerMessage(Level = LogLevel.Information, Message = "{Dependency} works again.")]
    private static partial void Ended(ILogger logger, string dependency);
}
