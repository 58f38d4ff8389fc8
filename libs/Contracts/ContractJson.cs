using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace DroneDelivery.Contracts;

/// <summary>
/// The JSON of every wire of this application, HTTP and queue alike: camelCase names, enums by name, numbers never as strings,
/// null properties left out and not accepted in a PATCH, date-times with an offset, a missing required property or a null where none may be is an error.
/// </summary>
public static class ContractJson
{
    /// <summary>Shared and read-only.</summary>
    public static JsonSerializerOptions Options { get; } = CreateOptions();

    /// <summary>Applies the convention to options that someone else created.</summary>
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

    /// <summary>A merge patch would remove the member (RFC 7396), but here an absent member stays as it is, and so would this one.</summary>
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
