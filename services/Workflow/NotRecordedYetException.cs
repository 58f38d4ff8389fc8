namespace DroneDelivery.Workflow;

/// <summary>The message is about a delivery that is not recorded, and may be soon: its request may still be on the way.</summary>
internal sealed class NotRecordedYetException(string message) : Exception(message);
