using System.Collections.Concurrent;
using System.ComponentModel.DataAnnotations;
using System.Reflection;
using System.Text.Json;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>
/// Checks validation attributes, nested records included, and names each failing field by its path. (The framework's own validator
/// stops at the first level, or works only for the endpoints of a web application; a queue listener needs the same answers.)
/// </summary>
public static class RecordValidator
{
    private static readonly ConcurrentDictionary<Type, Property[]> Types = new();

    /// <summary>Errors by JSON path (<c>packageInfo.weight</c>); empty when all is well.</summary>
    public static IDictionary<string, string[]> Validate(object value)
    {
        var errors = ErrorsOf(value, "", ".", JsonNamingPolicy.CamelCase.ConvertName).ToList();
        // Nearly always: requests are right, and there are many.
        if (errors.Count == 0)
            return new Dictionary<string, string[]>();
        return errors
            .GroupBy(error => error.Path)
            .ToDictionary(failures => failures.Key, failures => failures.Select(failure => failure.Message).ToArray());
    }

    internal static IEnumerable<(string Path, string Message)> ErrorsOf(object value, string path, string separator, Func<string, string> nameOf)
    {
        string PathTo(string property) => path.Length == 0 ? nameOf(property) : $"{path}{separator}{nameOf(property)}";

        foreach (var property in Types.GetOrAdd(value.GetType(), PropertiesOf))
        {
            var current = property.Info.GetValue(value);
            foreach (var rule in property.Rules)
                if (FailureOf(rule, current, value, property.Info.Name, nameOf) is { } failure)
                    yield return (PathTo(property.Info.Name), failure);
            if (current is not null && property.HasProperties)
                foreach (var error in ErrorsOf(current, PathTo(property.Info.Name), separator, nameOf))
                    yield return error;
        }

        if (value is IValidatableObject self)
            foreach (var failure in self.Validate(new ValidationContext(value)))
                yield return (PathTo(failure.MemberNames.FirstOrDefault("")), failure.ErrorMessage!);
    }

    private static string? FailureOf(ValidationAttribute rule, object? current, object owner, string property, Func<string, string> nameOf)
    {
        // Names and contexts are for messages; a value that passes needs neither.
        if (!rule.RequiresValidationContext && rule.IsValid(current))
            return null;
        var context = new ValidationContext(owner) { MemberName = property, DisplayName = nameOf(property) };
        return rule.GetValidationResult(current, context)?.ErrorMessage;
    }

    private static Property[] PropertiesOf(Type type) =>
        [.. type.GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(property => property.GetIndexParameters().Length == 0)
            .Select(property => new Property(
                property,
                [.. property.GetCustomAttributes<ValidationAttribute>()],
                property.PropertyType.IsClass && property.PropertyType.Assembly == type.Assembly))
            .Where(property => property.Rules.Length > 0 || property.HasProperties)];

    private sealed record Property(PropertyInfo Info, ValidationAttribute[] Rules, bool HasProperties);
}
