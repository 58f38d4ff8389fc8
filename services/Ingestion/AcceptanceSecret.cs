using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Messaging;

namespace DroneDelivery.Ingestion;

internal static class AcceptanceSecret
{
    public const string HowToGenerate = "`openssl rand -base64 32` generates a key; all replicas need the same one.";

    private const int Bytes = 32;

    // A derived key doesn't reveal the key of the queue.
    private static readonly byte[] Purpose = "drone-delivery/acceptance"u8.ToArray();

    private const string SharedAccessKey = "SharedAccessKey=";

    /// <summary>Determines whether a key is set or can be derived from a shared key of the broker.</summary>
    public static bool Exists(IngestionOptions options, string? connectionString) =>
        !string.IsNullOrEmpty(options.AcceptanceKey) || SharedKeyIn(connectionString) is not null;

    public static byte[] GetKey(IngestionOptions options, ServiceBusOptions broker) =>
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
