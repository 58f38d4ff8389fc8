namespace DroneDelivery.LabAgent.Gate;

/// <summary>The lab has exited or rejects this replica.</summary>
internal sealed class GateLostException(string message, Exception? inner = null) : Exception(message, inner);
