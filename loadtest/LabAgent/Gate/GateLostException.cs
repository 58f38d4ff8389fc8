namespace DroneDelivery.LabAgent.Gate;

/// <summary>The lab that holds the CPU gate is gone or refuses this replica: no time is free, so the work fails.</summary>
internal sealed class GateLostException(string message, Exception? inner = null) : Exception(message, inner);
