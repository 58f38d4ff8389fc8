using System.Collections;
using System.Collections.Concurrent;
using System.ComponentModel.DataAnnotations;
using System.Globalization;
using System.Reflection;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>
/// Checks validation attributes of records and classes, of what is inside them and of the elements of collections and dictionaries, and
/// names each failing field by its path. (The framework's own validator stops at the first level, or works only for the endpoints of a
/// web application; a queue listener needs the same answers.)
/// </summary>
public static class RecordValidator
{
    // Nothing read from JSON is deeper; an object that contains itself must not take the process with it.
    private const int MostLevels = 64;

    private static readonly ConcurrentDictionary<Type, Property[]> Types = new();
    private static readonly ConcurrentDictionary<Type, bool> Leaves = new();

    /// <summary>Errors by JSON path (<c>packageInfo.weight</c>, <c>items[2].weight</c>); empty when all is well.</summary>
    public static IDictionary<string, string[]> Validate(object value)
    {
        var errors = ErrorsOf(value, "", PathStyle.Json).ToList();
        // Nearly always: requests are right, and there are many.
        if (errors.Count == 0)
            return new Dictionary<string, string[]>();
        return errors
            .GroupBy(error => error.Path)
            .ToDictionary(failures => failures.Key, failures => failures.Select(failure => failure.Message).ToArray());
    }

    internal static IEnumerable<(string Path, string Message)> ErrorsOf(object value, string path, PathStyle style, int level = 0) =>
        value switch
        {
            _ when level > MostLevels || IsLeaf(value.GetType()) => [],
            IDictionary entries => entries.Keys.Cast<object>()
                .SelectMany(key => ErrorsInside(entries[key], style.Member(path, KeyText(key)), style, level)),
            IEnumerable elements => elements.Cast<object?>()
                .SelectMany((element, i) => ErrorsInside(element, style.Element(path, i), style, level)),
            _ => ErrorsOfProperties(value, path, style, level),
        };

    private static IEnumerable<(string Path, string Message)> ErrorsInside(object? value, string path, PathStyle style, int level) =>
        value is null ? [] : ErrorsOf(value, path, style, level + 1);

    private static IEnumerable<(string Path, string Message)> ErrorsOfProperties(object value, string path, PathStyle style, int level)
    {
        string PathTo(string property) => style.Member(path, style.NameOf(property));
        string PathToSelf() => path.Length > 0 ? path : PathStyle.Root;

        foreach (var property in Types.GetOrAdd(value.GetType(), PropertiesOf))
        {
            var current = property.Info.GetValue(value);
            foreach (var rule in property.Rules)
            {
                if (FailureOf(rule, current, value, property.Info.Name, style.NameOf) is { } failure)
                    yield return (PathTo(property.Info.Name), failure);
            }
            if (property.MayHaveErrorsInside && current is not null)
            {
                foreach (var error in ErrorsOf(current, PathTo(property.Info.Name), style, level + 1))
                    yield return error;
            }
        }

        if (value is IValidatableObject self)
        {
            foreach (var failure in self.Validate(new ValidationContext(value)).Where(result => result != ValidationResult.Success))
                yield return (failure.MemberNames.FirstOrDefault() is { } member ? PathTo(member) : PathToSelf(), failure.ErrorMessage!);
        }
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
            .Select(property => new Property(property, [.. RulesOf(property, type)], !IsLeaf(property.PropertyType)))
            .Where(property => property.Rules.Length > 0 || property.MayHaveErrorsInside)];

    // An attribute before a positional record's parameter is the parameter's, not the property's.
    private static IEnumerable<ValidationAttribute> RulesOf(PropertyInfo property, Type type) =>
        property.GetCustomAttributes<ValidationAttribute>()
            .Concat(type.GetConstructors()
                .SelectMany(constructor => constructor.GetParameters())
                .Where(parameter => parameter.Name == property.Name && parameter.ParameterType == property.PropertyType)
                .SelectMany(parameter => parameter.GetCustomAttributes<ValidationAttribute>()));

    private static string KeyText(object key) => Convert.ToString(key, CultureInfo.InvariantCulture)!;

    /// <summary>
    /// Numbers, texts, times and whatever else the framework defines has no attributes of ours, unless it is a collection of what may.
    /// </summary>
    private static bool IsLeaf(Type type) => Leaves.GetOrAdd(type, static type =>
        Nullable.GetUnderlyingType(type) is { } value ? IsLeaf(value)
        : type.IsArray ? IsLeaf(type.GetElementType()!)
        : type.IsEnum || (type != typeof(object) && IsOfTheFramework(type) && (type == typeof(string) || IsPlain(type))));

    private static bool IsPlain(Type type) =>
        !typeof(IEnumerable).IsAssignableFrom(type) || (type.IsGenericType && type.GetGenericArguments().All(IsLeaf));

    private static bool IsOfTheFramework(Type type) => type.Namespace is { } name
        && (name == "System"
            || name.StartsWith("System.", StringComparison.Ordinal)
            || name.StartsWith("Microsoft.", StringComparison.Ordinal));

    private sealed record Property(PropertyInfo Info, ValidationAttribute[] Rules, bool MayHaveErrorsInside);
}
