namespace DroneDelivery.LocalServiceBus;

/// <summary>The exception that is thrown when the broker can't start. The message is one line that names the setting to
/// change.</summary>
public sealed class BrokerStartException(string message, Exception? cause = null) : Exception(message, cause);
