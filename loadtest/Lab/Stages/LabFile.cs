using System.Text.Json;
using System.Text.Json.Serialization;

namespace DroneDelivery.Lab.Stages;

/// <summary>
/// Reads the lab's data files: a field that nobody knows, or that is missing, is an error with the file's name and not a silent default.
/// </summary>
internal static class LabFile
{
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
    {
        UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
        RespectRequiredConstructorParameters = true,
        RespectNullableAnnotations = true,
        ReadCommentHandling = JsonCommentHandling.Skip,
        Converters = { new KnobSetConverter(), new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
    };

    /// <param name="folder">stages, profiles, environments or experiments.</param>
    /// <param name="name">File name without <c>.json</c>.</param>
    /// <exception cref="BadInputException">No such file, or not in the form that is expected.</exception>
    public static T Read<T>(string folder, string name)
    {
        var files = Directory.GetFiles(Path.Combine(Repository.Root, "loadtest", folder), "*.json");
        var file = Array.Find(files, path => Path.GetFileNameWithoutExtension(path) == name)
            ?? throw new BadInputException(
                $"{name} is not one of the {folder}: {string.Join(", ", files.Select(Path.GetFileNameWithoutExtension).Order())}.");
        return Parse<T>(File.ReadAllText(file), Path.GetRelativePath(Repository.Root, file));
    }

    /// <param name="path">A file that somebody has written.</param>
    /// <exception cref="BadInputException">No such file, or not in the form that is expected.</exception>
    public static T ReadFile<T>(string path)
    {
        try
        {
            return Parse<T>(File.ReadAllText(path), path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new BadInputException($"{path} cannot be read: {exception.Message}");
        }
    }

    public static T Parse<T>(string json, string file)
    {
        try
        {
            return JsonSerializer.Deserialize<T>(json, Options) ?? throw new BadInputException($"{file} is empty.");
        }
        catch (JsonException exception)
        {
            throw new BadInputException($"{file}: {exception.Message.Replace('\n', ' ')}");
        }
        catch (BadInputException exception)
        {
            throw new BadInputException($"{file}: {exception.Message}");
        }
    }

    /// <summary>An object of knob names and values: numbers, texts with a unit, or arrays of either.</summary>
    private sealed class KnobSetConverter : JsonConverter<KnobSet>
    {
        public override KnobSet Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        {
            using var document = JsonDocument.ParseValue(ref reader);
            var settings = document.RootElement.EnumerateObject().Select(property => $"{property.Name}={Text(property.Value)}");
            return KnobSet.Parse(settings.ToList());
        }

        public override void Write(Utf8JsonWriter writer, KnobSet value, JsonSerializerOptions options)
        {
            writer.WriteStartObject();
            foreach (var (knob, knobValue) in value.All)
                writer.WriteString(knob.Name, knob.Show(knobValue));
            writer.WriteEndObject();
        }

        private static string Text(JsonElement value) =>
            value.ValueKind == JsonValueKind.Array ? string.Join(',', value.EnumerateArray().Select(Text)) : value.ToString();
    }
}
