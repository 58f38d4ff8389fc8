using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace DroneDelivery.Contracts;

/// <summary>
/// JSON conventions for HTTP and the queue: camelCase names, enums by name, no numbers as strings, no null properties, date-times with an
/// offset. Missing required properties and unexpected nulls are errors.
/// </summary>
public static class ContractJson
{
    public static JsonSerializerOptions Options { get; } = CreateOptions();

    public static void Configure(JsonSerializerOptions options)
    {
        options.PropertyNamingPolicy = JsonNamingPolicy.CamelCase;
        options.PropertyNameCaseInsensitive = true;
        options.NumberHandling = JsonNumberHandling.Strict;
        options.DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull;
        options.RespectNullableAnnotations = true;
        options.Converters.Add(new EnumNameConverterFactory());
        options.Converters.Add(new OffsetDateTimeConverter());
        options.TypeInfoResolver = (options.TypeInfoResolver ?? new DefaultJsonTypeInfoResolver()).WithAddedModifier(
            RejectNullInPatch
        );
    }

    /// <summary>A merge patch would remove the property (RFC 7396), whereas here <c>null</c> would look like an absent property.</summary>
    private static void RejectNullInPatch(JsonTypeInfo type)
    {
        if (!type.Type.IsAssignableTo(typeof(IPatch)))
            return;
        foreach (var member in type.Properties)
            member.IsSetNullable = false;
    }

    private static JsonSerializerOptions CreateOptions()
    {
        var options = new JsonSerializerOptions();
        Configure(options);
        options.MakeReadOnly(populateMissingResolver: true);
        return options;
    }
}
