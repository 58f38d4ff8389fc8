namespace DroneDelivery.LocalServiceBus;

/// <summary>The broker cannot start as it was told; the message is one line that names the setting to change.</summary>
public sealed class BrokerStartException(string message, Exception? cause = null) : Exception(message, cause);
