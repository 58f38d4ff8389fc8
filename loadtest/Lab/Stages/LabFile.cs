using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using System.Text.RegularExpressions;

namespace DroneDelivery.Lab.Stages;

/// <summary>Reads the lab's data files. An unknown, duplicate, or missing field is an error that names the file.</summary>
internal static partial class LabFile
{
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
    {
        UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
        AllowDuplicateProperties = false,
        RespectRequiredConstructorParameters = true,
        RespectNullableAnnotations = true,
        ReadCommentHandling = JsonCommentHandling.Skip,
        Converters =
        {
            new FieldsConverter(),
            new KnobSetConverter(),
            new JsonStringEnumConverter(JsonNamingPolicy.CamelCase),
        },
    };

    /// <param name="folder">The folder: stages, profiles, or environments.</param>
    /// <param name="name">The file name without <c>.json</c>.</param>
    public static T Read<T>(string folder, string name)
    {
        var files = Directory.GetFiles(Path.Combine(Repository.Root, "loadtest", folder), "*.json");
        var file = Array.Find(files, path => Path.GetFileNameWithoutExtension(path) == name)
            ?? throw new BadInputException(
                $"{name} is not one of the {folder}: {string.Join(", ", files.Select(Path.GetFileNameWithoutExtension).Order())}."
            );
        return Parse<T>(File.ReadAllText(file), Path.GetRelativePath(Repository.Root, file));
    }

    public static T ReadFile<T>(string path) => Parse<T>(Text(path), path);

    /// <inheritdoc cref="ReadFile"/>
    public static string Text(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new BadInputException($"{path} cannot be read: {exception.Message}");
        }
    }

    public static T Parse<T>(string json, string file) =>
        Parse(() => JsonSerializer.Deserialize<T>(json, Options), it => At(file, it.LineNumber + 1), file);

    /// <param name="json">The content of a file, changed since it was read, so that its lines are unknown.</param>
    /// <param name="where">Returns the location of a field for an error message.</param>
    public static T Parse<T>(JsonNode json, Func<string, string> where) =>
        Parse(() => json.Deserialize<T>(Options), it => where(FieldOf(it)), where(""));

    private static T Parse<T>(Func<T?> read, Func<JsonException, string> where, string source)
    {
        try
        {
            return read() ?? throw new BadInputException($"{source} is empty.");
        }
        catch (JsonException exception)
        {
            throw new BadInputException($"{where(exception)}: {FaultOf(exception)}.");
        }
        catch (BadInputException exception)
        {
            throw new BadInputException($"{source}: {exception.Message}");
        }
    }

    /// <summary>The location in a file, in a form to which editors can jump.</summary>
    public static string At(string file, long? line) => line is null ? file : $"{file}, line {line}";

    /// <summary>The line of a field, such as <c>services.orders.replicas</c>, or of its nearest existing parent.</summary>
    public static long? LineOf(string json, string field)
    {
        var text = Encoding.UTF8.GetBytes(json);
        var reader = new Utf8JsonReader(text, new JsonReaderOptions { CommentHandling = JsonCommentHandling.Skip });
        var (path, found) = (new List<string>(), (Depth: 0, At: -1L));
        while (reader.Read())
        {
            if (reader.TokenType != JsonTokenType.PropertyName)
                continue;
            path = [.. path.Take(reader.CurrentDepth - 1), reader.GetString()!];
            if (
                path.Count > found.Depth
                && $"{field.Replace('[', '.')}.".StartsWith(string.Join('.', path) + ".", StringComparison.Ordinal)
            )
            {
                found = (path.Count, reader.TokenStartIndex);
            }
        }

        return found.Depth == 0 ? null : 1 + text.AsSpan(0, (int)found.At).Count((byte)'\n');
    }

    private static string FaultOf(JsonException exception)
    {
        var field = FieldOf(exception);
        var message = exception.Message.Split(" Path: ")[0].ReplaceLineEndings(" ").TrimEnd('.');
        return message.Contains("could not be mapped", StringComparison.Ordinal) ? $"there is no field {field}"
            : WrongType().Match(message) is { Success: true } wrong
                ? $"{field} has to be {KindOf(wrong.Groups[1].Value)}"
            : $"{field}: {message}";
    }

    private static string FieldOf(JsonException exception) =>
        exception.Path is { Length: > 2 } path ? path[2..] : "the file";

    private static string KindOf(string type) =>
        type switch
        {
            "System.Int32" => "a whole number",
            "System.Double" => "a number",
            "System.String" => "a text",
            "System.Boolean" => "true or false",
            _ => "of another form",
        };

    [GeneratedRegex(@"could not be converted to (?:System\.Nullable`1\[)?([\w.]+)")]
    private static partial Regex WrongType();

    /// <summary>Rejects duplicate fields. <see cref="JsonObject"/>'s own converter throws an exception without a line.</summary>
    private sealed class FieldsConverter : JsonConverter<JsonObject>
    {
        public override JsonObject Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        {
            if (reader.TokenType != JsonTokenType.StartObject)
                throw new JsonException("expected an object");
            var fields = new JsonObject();
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                var name = reader.GetString()!;
                if (fields.ContainsKey(name))
                    throw new JsonException($"duplicate field {name}");
                reader.Read();
                fields[name] =
                    reader.TokenType == JsonTokenType.StartObject
                        ? Read(ref reader, typeToConvert, options)
                        : JsonNode.Parse(ref reader);
            }
            return fields;
        }

        public override void Write(Utf8JsonWriter writer, JsonObject value, JsonSerializerOptions options) =>
            throw new NotSupportedException();
    }

    /// <summary>Reads an object of knob names and values.</summary>
    private sealed class KnobSetConverter : JsonConverter<KnobSet>
    {
        public override KnobSet Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        {
            var fields = JsonSerializer.Deserialize<JsonObject>(ref reader, options)!;
            return KnobSet.Parse(fields.Select(field => $"{field.Key}={KnobText.Of(field.Value)}"));
        }

        public override void Write(Utf8JsonWriter writer, KnobSet value, JsonSerializerOptions options) =>
            throw new NotSupportedException();
    }
}
