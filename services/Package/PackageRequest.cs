namespace DroneDelivery.Package;

/// <summary>A delivery request that needs a package.</summary>
/// <param name="Key">The id of the request, the same for all attempts.</param>
/// <param name="Attempt">The number of times an operator has resent the request.</param>
internal sealed record PackageRequest(string Key, int Attempt);
