using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Messaging;

namespace DroneDelivery.Ingestion;

/// <summary>The key that signs Locations. All replicas have the same, so each reads what another wrote.</summary>
internal static class AcceptanceSecret
{
    public const string HowToMake = "`openssl rand -base64 32` makes one; give all replicas the same.";

    private const int Bytes = 32;

    // A derived key does not reveal the key of the queue.
    private static readonly byte[] Purpose = "drone-delivery/acceptance"u8.ToArray();

    private const string SharedAccessKey = "SharedAccessKey=";

    /// <summary>Whether there is one: with a managed identity there is no shared key from which it could be derived.</summary>
    public static bool Exists(IngestionOptions options, string? connectionString) =>
        !string.IsNullOrEmpty(options.AcceptanceKey) || SharedKeyIn(connectionString) is not null;

    public static byte[] Of(IngestionOptions options, ServiceBusOptions broker) =>
        string.IsNullOrEmpty(options.AcceptanceKey)
            ? HKDF.DeriveKey(
                HashAlgorithmName.SHA256,
                Encoding.UTF8.GetBytes(SharedKeyIn(broker.ConnectionString)!),
                Bytes,
                info: Purpose
            )
            : Convert.FromBase64String(options.AcceptanceKey);

    private static string? SharedKeyIn(string? connectionString) =>
        connectionString
            ?.Split(';', StringSplitOptions.TrimEntries)
            .Where(part =>
                part.StartsWith(SharedAccessKey, StringComparison.OrdinalIgnoreCase)
                && part.Length > SharedAccessKey.Length
            )
            .Select(part => part[SharedAccessKey.Length..])
            .FirstOrDefault();
}
