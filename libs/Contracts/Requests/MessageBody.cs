using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace DroneDelivery.Contracts;

/// <summary>
/// Writes the bodies of <see cref="QueueMessage"/>: the bytes that <see cref="ContractJson"/> would write. The compiler makes the code for
/// it, because Ingestion writes one for each request.
/// </summary>
public static class MessageBody
{
    public static byte[] Of<T>(T request) =>
        JsonSerializer.SerializeToUtf8Bytes(request, (JsonTypeInfo<T>)MessageBodyContext.Default.GetTypeInfo(typeof(T))!);
}

[JsonSourceGenerationOptions(
    GenerationMode = JsonSourceGenerationMode.Serialization,
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UseStringEnumConverter = true)]
[JsonSerializable(typeof(DeliveryRequest))]
[JsonSerializable(typeof(RescheduleRequest))]
[JsonSerializable(typeof(CancelRequest))]
internal sealed partial class MessageBodyContext : JsonSerializerContext;
