namespace DroneDelivery.Contracts;

/// <summary>The body of a PATCH: an absent member stays as it is, and none can be null.</summary>
public interface IPatch;
