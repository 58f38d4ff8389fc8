namespace DroneDelivery.Contracts;

/// <summary>A PATCH body. Absent properties leave the value unchanged; <c>null</c> is rejected.</summary>
public interface IPatch;
