using System.Collections;
using System.Collections.Concurrent;
using System.Collections.ObjectModel;
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
        var errors = ErrorsOf(value, "", PathStyle.Json);
        // Nearly always: requests are right, and there are many.
        if (errors.Count == 0)
            return ReadOnlyDictionary<string, string[]>.Empty;
        return errors
            .GroupBy(error => error.Path)
            .ToDictionary(failures => failures.Key, failures => failures.Select(failure => failure.Message).ToArray());
    }

    internal static List<(string Path, string Message)> ErrorsOf(object value, string path, PathStyle style)
    {
        var errors = new List<(string Path, string Message)>();
        Check(value, new Place(style, path), 0, errors);
        return errors;
    }

    private static void Check(object? value, Place place, int level, List<(string Path, string Message)> errors)
    {
        if (value is null || level > MostLevels || IsLeaf(value.GetType()))
            return;
        switch (value)
        {
            case IDictionary entries:
                foreach (var key in entries.Keys)
                    Check(entries[key], place.Entry(KeyText(key)), level + 1, errors);
                break;
            case IEnumerable elements:
                foreach (var (i, element) in elements.Cast<object?>().Index())
                    Check(element, place.Element(i), level + 1, errors);
                break;
            default:
                CheckProperties(value, place, level, errors);
                break;
        }
    }

    private static void CheckProperties(object value, Place place, int level, List<(string Path, string Message)> errors)
    {
        foreach (var property in Types.GetOrAdd(value.GetType(), PropertiesOf))
        {
            var current = property.Info.GetValue(value);
            foreach (var rule in property.Rules)
            {
                if (FailureOf(rule, current, value, property.Info.Name, place.Style.NameOf) is { } failure)
                    errors.Add((place.Property(property.Info.Name).ToString(), failure));
            }
            if (property.MayHaveErrorsInside && current is not null)
                Check(current, place.Property(property.Info.Name), level + 1, errors);
        }

        if (value is not IValidatableObject self)
            return;
        foreach (var failure in self.Validate(new ValidationContext(value)).Where(result => result != ValidationResult.Success))
        {
            var where = failure.MemberNames.FirstOrDefault() is { } member ? place.Property(member) : place;
            errors.Add((where.ToString() is { Length: > 0 } path ? path : PathStyle.Root, failure.ErrorMessage!));
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

    /// <summary>Where a value is: written only if something is wrong with it.</summary>
    private sealed class Place(PathStyle style, string text, Place? owner = null, Func<Place, string, string>? write = null)
    {
        public PathStyle Style => style;

        public Place Property(string name) => new(style, name, this, static (owner, name) => owner.Member(owner.Style.NameOf(name)));

        public Place Entry(string key) => new(style, key, this, static (owner, key) => owner.Member(key));

        public Place Element(int index) => new(style, "", this, (owner, _) => owner.Style.Element(owner.ToString(), index));

        public override string ToString() => owner is null ? text : write!(owner, text);

        private string Member(string name) => style.Member(ToString(), name);
    }

    private sealed record Property(PropertyInfo Info, ValidationAttribute[] Rules, bool MayHaveErrorsInside);
}
