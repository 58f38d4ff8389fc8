namespace Azure.Messaging.ServiceBus;

public class ServiceBusClientOptions
{
    private TimeSpan _connectionIdleTimeout = TimeSpan.FromMinutes(1);

    /// <summary>Names this client in the broker's logs. Default: host name and a random part.</summary>
    public string? Identifier { get; set; }

    public ServiceBusRetryOptions RetryOptions { get; set; } = new();

    /// <summary>The broker is asked to send something at least this often; the connection is given up after twice as long
    /// without. Default 60 s.</summary>
    public TimeSpan ConnectionIdleTimeout
    {
        get => _connectionIdleTimeout;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero, nameof(ConnectionIdleTimeout));
            _connectionIdleTimeout = value;
        }
    }

    /// <summary>Where to connect when it is not the endpoint of the connection string, for example a proxy.</summary>
    public Uri? CustomEndpointAddress { get; set; }

    /// <summary>Clock of lock renewal, retries and token expiry; tests set their own.</summary>
    internal TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>Spreads the waits between tries; every process has a seed of its own.</summary>
    internal Random Random { get; set; } = new(Environment.ProcessId);

    internal ServiceBusClientOptions Clone()
    {
        var clone = (ServiceBusClientOptions)MemberwiseClone();
        clone.RetryOptions = RetryOptions.Clone();
        return clone;
    }
}
