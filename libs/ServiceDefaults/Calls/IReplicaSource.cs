namespace DroneDelivery.ServiceDefaults.Calls;

/// <summary>
/// Knows where the replicas of a service listen if neither the configuration lists them nor DNS finds them: a registry, for example. None
/// is registered by default.
/// </summary>
public interface IReplicaSource
{
    /// <summary><c>Services:NAME:KEY</c> with this key chooses the source.</summary>
    string Key { get; }

    /// <param name="value">What the configuration says under the key.</param>
    IReplicaList Open(string value);
}

/// <summary>The replicas of one service. They may come and go while their callers run.</summary>
public interface IReplicaList
{
    /// <summary>Those that are there now.</summary>
    /// <exception cref="FormatException">An entry is not an address, or there is none.</exception>
    /// <exception cref="IOException">The list cannot be read.</exception>
    IReadOnlyList<Uri> Read();

    /// <summary>Asked before each request. Thread-safe.</summary>
    /// <returns>The replicas, once for each time that they have changed; otherwise null.</returns>
    IReadOnlyList<Uri>? Changed();
}
