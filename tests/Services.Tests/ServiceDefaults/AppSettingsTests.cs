using System.Collections;
using System.Reflection;
using System.Text.Json;
using DroneDelivery.Delivery;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Gateway.Forwarding;
using DroneDelivery.Ingestion;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using DroneDelivery.Workflow;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>
/// The <c>appsettings.json</c> file of a service lists each option with its default and a comment. It has no effect: an
/// image without the file runs the same service.
/// </summary>
public sealed class AppSettingsTests : WithFolder
{
    private static readonly JsonDocumentOptions WithComments = new() { CommentHandling = JsonCommentHandling.Skip };

    /// <summary>Enables the telemetry section, with an endpoint that does not exist.</summary>
    private static readonly Dictionary<string, string?> NoTelemetry = new()
    {
        ["APPLICATIONINSIGHTS_CONNECTION_STRING"] =
            "InstrumentationKey=00000000-0000-0000-0000-000000000001;IngestionEndpoint=http://127.0.0.1:1/",
    };

    public static TheoryData<string> Services =>
        ["Ingestion", "Workflow", "Package", "DroneScheduler", "Delivery", "Gateway"];

    [Theory, MemberData(nameof(Services))]
    public async Task File_lists_every_option_with_its_default_and_a_comment(string service)
    {
        var sections = await SectionsOfAsync(service);
        var lines = TextOf(service).Split('\n').Select(line => line.Trim()).ToList();
        using var file = JsonDocument.Parse(TextOf(service), WithComments);

        Assert.NotEmpty(sections);
        Assert.Empty(file.RootElement.EnumerateObject().Select(section => section.Name).Except(sections.Keys));
        Assert.Empty(
            sections.SelectMany(section =>
                Differences(section.Key, section.Value, Member(file.RootElement, section.Key))
            )
        );
        Assert.DoesNotContain(lines.Index(), line =>
            line.Item.StartsWith('"')
            && !line.Item.EndsWith('{')
            && !lines[line.Index - 1].StartsWith("//", StringComparison.Ordinal)
        );
    }

    private static string TextOf(string service) =>
        File.ReadAllText(Path.Combine(Repository.Root, "services", service, "appsettings.json"));

    private static JsonElement Member(JsonElement parent, string name) =>
        parent.ValueKind == JsonValueKind.Object && parent.TryGetProperty(name, out var member) ? member : default;

    private static IEnumerable<string> Differences(string path, object defaults, JsonElement section)
    {
        var options = defaults
            .GetType()
            .GetProperties(BindingFlags.Instance | BindingFlags.Public)
            .Where(property => property.CanWrite || property.GetValue(defaults) is ICollection)
            .ToList();
        var unknown =
            section.ValueKind != JsonValueKind.Object
                ? []
                : section.EnumerateObject().Select(member => member.Name).Except(options.Select(option => option.Name));
        return options
            .SelectMany(option =>
                Differences($"{path}:{option.Name}", option, option.GetValue(defaults), Member(section, option.Name))
            )
            .Concat(unknown.Select(name => $"{path}:{name} is no option"));
    }

    private static IEnumerable<string> Differences(string path, PropertyInfo option, object? value, JsonElement found)
    {
        if (value is not null && IsSection(option.PropertyType))
            return Differences(path, value, found);
        var expected = JsonOf(value);
        return found.ValueKind == JsonValueKind.Undefined ? [$"{path} is missing: {expected}"]
            : JsonElement.DeepEquals(JsonDocument.Parse(expected).RootElement, found) ? []
            : [$"{path} is {found.GetRawText()}, and the default is {expected}"];
    }

    private static bool IsSection(Type type) =>
        type is { IsClass: true, IsArray: false }
        && type != typeof(string)
        && !typeof(IEnumerable).IsAssignableFrom(type);

    // In the format of the configuration.
    private static string JsonOf(object? value) =>
        value switch
        {
            IDictionary { Count: 0 } => "{}",
            TimeSpan time => JsonSerializer.Serialize(time.ToString("c")),
            Enum name => JsonSerializer.Serialize(name.ToString()),
            _ => JsonSerializer.Serialize(value),
        };

    private Task<Dictionary<string, object>> SectionsOfAsync(string service) =>
        service switch
        {
            "Ingestion" => SectionsOfAsync<DeliveryQueue>(QueueUnderTest.Nowhere),
            "Workflow" => SectionsOfAsync<DeliveryWorkflow>(QueueUnderTest.Nowhere),
            "Package" => SectionsOfAsync<PackageStore>(Folder.SqliteSettings),
            "DroneScheduler" => SectionsOfAsync<AssignmentStore>(Folder.SqliteSettings),
            "Delivery" => SectionsOfAsync<DeliveryStore>([]),
            _ => SectionsOfAsync<ForwardingFailures>(new() { ["Gateway:Keys:one"] = GatewayUnderTest.Key }),
        };

    private static async Task<Dictionary<string, object>> SectionsOfAsync<TService>(
        Dictionary<string, string?> settings
    )
        where TService : class
    {
        List<Type> validated = [];
        await using var host = ServiceHost<TService>.Start(settings.And(NoTelemetry), add: services =>
            validated.AddRange(
                from service in services
                where
                    service.ServiceType.IsGenericType
                    && service.ServiceType.GetGenericTypeDefinition() == typeof(IValidateOptions<>)
                let options = service.ServiceType.GetGenericArguments()[0]
                // A registration by AddValidatedOptions, which binds a section to the class.
                where
                    service.ImplementationInstance?.GetType()
                    == typeof(DataAnnotationValidateOptions<>).MakeGenericType(options)
                select options
            )
        );
        return (
            from type in validated.Distinct()
            select (Name: (string)type.GetField("Section")!.GetValue(null)!, Defaults: Activator.CreateInstance(type)!)
        ).ToDictionary(section => section.Name, section => section.Defaults);
    }
}
