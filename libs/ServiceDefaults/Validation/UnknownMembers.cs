using System.Collections.Concurrent;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>
/// What a JSON body says that nobody reads. A client's body is refused, because a name with a typing mistake would be a wish that is
/// dropped in silence. What our services tell each other, over HTTP or the queue, is not: during a rolling update a newer one tells
/// an older one more than it knows.
/// </summary>
public static class UnknownMembers
{
    private static readonly ConcurrentDictionary<string, string[]> KnownMembers = new();

    /// <summary>Refuses unknown members, with 400.</summary>
    /// <param name="services">The service collection.</param>
    /// <param name="bodies">The types that clients send; none: every type.</param>
    public static IServiceCollection RefuseUnknownMembers(this IServiceCollection services, params Type[] bodies) =>
        services.ConfigureHttpJsonOptions(json =>
        {
            var resolver = json.SerializerOptions.TypeInfoResolver ?? new DefaultJsonTypeInfoResolver();
            json.SerializerOptions.TypeInfoResolver = resolver.WithAddedModifier(type =>
            {
                var takesAnything = type.Properties.Any(property => property.IsExtensionData);
                if (type.Kind == JsonTypeInfoKind.Object && !takesAnything && (bodies.Length == 0 || bodies.Contains(type.Type)))
                    Refuse(type);
            });
        });

    /// <returns>What is wrong, and what may have been meant.</returns>
    internal static string Describe(string member, string type)
    {
        var nearest = KnownMembers.GetValueOrDefault(type, [])
            .Select(name => (Name: name, Distance: EditDistance(name.ToUpperInvariant(), member.ToUpperInvariant())))
            .Where(known => known.Distance <= Math.Min(Math.Max(2, known.Name.Length / 3), known.Name.Length - 1))
            .OrderBy(known => known.Distance)
            .Select(known => $"; did you mean '{known.Name}'?")
            .FirstOrDefault(".");
        return $"unknown member '{member}'{nearest}";
    }

    private static void Refuse(JsonTypeInfo type)
    {
        type.UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow;
        KnownMembers[type.Type.ToString()] = [.. type.Properties.Select(property => property.Name)];
    }

    /// <summary>Letters to insert, delete or replace (Levenshtein), one row of the table at a time.</summary>
    private static int EditDistance(string from, string to)
    {
        var row = Enumerable.Range(0, to.Length + 1).ToArray();
        for (var i = 1; i <= from.Length; i++)
        {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= to.Length; j++)
            {
                var replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, 1 + Math.Min(row[j], row[j - 1]));
            }
        }
        return row[^1];
    }
}
