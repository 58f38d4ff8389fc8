using System.Collections;
using System.Collections.Concurrent;
using System.ComponentModel.DataAnnotations;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json;
using Microsoft.Extensions.Validation;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>Validates records by Microsoft.Extensions.Validation, with JSON names (docs/internals/adr/0008-validation.md).</summary>
public static class RecordValidator
{
    private static readonly ValidationOptions Options = new() { Resolvers = { new Resolver() } };

    /// <summary>Validates the parameters and bodies of all routes; a 400 response lists the invalid fields.</summary>
    internal static void Add(IServiceCollection services)
    {
        services.AddValidation(validation => validation.Resolvers.Add(Options.Resolvers[0]));
        services.ConfigureHttpJsonOptions(json => json.SerializerOptions.DictionaryKeyPolicy = JsonPath.Instance);
    }

    /// <returns>Errors by JSON path (<c>packageInfo.weight</c>, <c>$</c>); empty if the value is valid.</returns>
    public static IDictionary<string, string[]> Validate(object value)
    {
        var context = new ValidateContext { ValidationOptions = Options, ValidationContext = new(value) };
        // Completes synchronously.
        if (Options.TryGetValidatableTypeInfo(value.GetType(), out var type))
            type.ValidateAsync(value, context, CancellationToken.None).GetAwaiter().GetResult();
        return (context.ValidationErrors ?? []).ToDictionary(
            error => JsonPath.Instance.ConvertName(error.Key),
            error => error.Value
        );
    }

    /// <summary>Converts the framework's names, such as <c>PackageInfo.Weight</c>.</summary>
    private sealed class JsonPath : JsonNamingPolicy
    {
        public static readonly JsonPath Instance = new();

        public override string ConvertName(string name) =>
            name.Length == 0 ? "$" : string.Join('.', name.Split('.').Select(CamelCase.ConvertName));
    }

    private sealed class Resolver : IValidatableInfoResolver
    {
        private readonly ConcurrentDictionary<Type, IValidatableInfo?> _records = new();

        public bool TryGetValidatableTypeInfo(Type type, [NotNullWhen(true)] out IValidatableInfo? validatableInfo)
        {
            validatableInfo = _records.GetOrAdd(type, one =>
                Member.IsOfFramework(one) || one.IsInterface || one.IsEnum ? null : new Record(one)
            );
            return validatableInfo is not null;
        }

        /// <summary>The framework validates parameters itself.</summary>
        public bool TryGetValidatableParameterInfo(
            ParameterInfo parameterInfo,
            [NotNullWhen(true)] out IValidatableInfo? validatableInfo
        )
        {
            validatableInfo = null;
            return false;
        }
    }

    private sealed class Record(Type type) : ValidatableTypeInfo(type, [.. MembersOf(type)])
    {
        protected override ValidationAttribute[] GetValidationAttributes() => [];

        /// <summary>Inherited properties are validated by the base type.</summary>
        private static IEnumerable<Member> MembersOf(Type type) =>
            type.GetProperties(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
                .Select(property => new Member(property, [.. RulesOf(property)]))
                .Where(member => member.IsValidated);

        /// <summary>Attributes of a positional record are on its constructor's parameters.</summary>
        private static IEnumerable<ValidationAttribute> RulesOf(PropertyInfo property) =>
            property
                .DeclaringType!.GetConstructors()
                .SelectMany(constructor => constructor.GetParameters())
                .Where(parameter => parameter.Name == property.Name)
                .SelectMany(parameter => parameter.GetCustomAttributes<ValidationAttribute>())
                .Concat(property.GetCustomAttributes<ValidationAttribute>());
    }

    private sealed class Member(PropertyInfo property, ValidationAttribute[] rules)
        : ValidatablePropertyInfo(
            property.DeclaringType!,
            property.PropertyType,
            property.Name,
            JsonNamingPolicy.CamelCase.ConvertName(property.Name)
        )
    {
        private readonly bool _isLeaf = IsLeaf(
            Nullable.GetUnderlyingType(property.PropertyType) ?? property.PropertyType
        );

        public bool IsValidated => rules.Length > 0 || !_isLeaf;

        public static bool IsOfFramework(Type type) => type.Namespace?.Split('.')[0] is "System" or "Microsoft";

        /// <summary>Skips the framework's lookup by name for valid values.</summary>
        public override Task ValidateAsync(
            object? value,
            ValidateContext context,
            CancellationToken cancellationToken
        ) =>
            _isLeaf && IsValid(property.GetValue(value))
                ? Task.CompletedTask
                : base.ValidateAsync(value, context, cancellationToken);

        protected override ValidationAttribute[] GetValidationAttributes() => rules;

        private bool IsValid(object? value) =>
            Array.TrueForAll(rules, rule => !rule.RequiresValidationContext && rule.IsValid(value));

        private static bool IsLeaf(Type type) =>
            type.IsEnum || type == typeof(string) || (IsOfFramework(type) && !type.IsAssignableTo(typeof(IEnumerable)));
    }
}
