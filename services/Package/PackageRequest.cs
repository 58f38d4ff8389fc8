namespace DroneDelivery.Package;

/// <summary>A delivery request that needs a package.</summary>
/// <param name="Key">The same for all attempts of one request, and for no other request.</param>
/// <param name="Attempt">How often the request has been sent again.</param>
internal sealed record PackageRequest(string Key, int Attempt);
