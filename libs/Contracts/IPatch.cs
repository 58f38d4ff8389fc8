namespace DroneDelivery.Contracts;

/// <summary>The body of a PATCH, in which absent properties leave the value unchanged and <c>null</c> is invalid.</summary>
public interface IPatch;
