//! Azure Key Vault: exchanges as its REST reference has them. There is no peer on this machine.

use std::fs;

use polyseal_kms::{Class, Problem, Settings};

use super::common::{Server, answer, field, generate, settings_of};

const KEY: &str = "azure-kv://team.vault.azure.net/backup";
const VERSION: &str = "0123456789abcdef0123456789abcdef";

fn token() -> String {
    answer(200, r#"{"token_type":"Bearer","expires_in":3599,"access_token":"a.token"}"#)
}

fn settings(authority: &Server, vault: &Server) -> Settings {
    settings_of(&[
        ("AZURE_AUTHORITY_HOST", &authority.endpoint),
        ("AZURE_KEYVAULT_URL", &vault.endpoint),
        ("AZURE_TENANT_ID", "a/tenant"),
        ("AZURE_CLIENT_ID", "an id"),
        ("AZURE_CLIENT_SECRET", "very&secret"),
    ])
}

#[test]
fn keys_come_back_from_the_version_that_wrapped_them() {
    let kid = format!("https://team.vault.azure.net/keys/backup/{VERSION}");
    let authority = Server::start(vec![token()]);
    // It wraps a key as itself.
    let named = kid.clone();
    let vault = Server::answering(move |_, request| {
        answer(200, &format!(r#"{{"kid":"{named}","value":"{}"}}"#, field(request, "value")))
    });
    let settings = settings(&authority, &vault);
    let wrapped = generate(KEY, &["a=b"], &settings).unwrap();
    assert_eq!(wrapped.key_id(), Some(kid.as_str()));
    wrapped.unwrap(&settings).unwrap();
    let [wrap, unwrap] = &vault.requests()[..] else { panic!() };
    assert!(wrap.starts_with("POST /keys/backup//wrapkey?api-version=7.4 "), "{wrap}");
    assert!(wrap.contains(r#"{"alg":"RSA-OAEP-256","value":""#), "{wrap}");
    let place = format!("POST /keys/backup/{VERSION}/unwrapkey?api-version=7.4 ");
    assert!(unwrap.starts_with(&place), "{unwrap}");
    assert!(unwrap.contains("authorization: Bearer a.token"), "{unwrap}");
    let asked = &authority.requests()[0];
    assert!(asked.starts_with("POST /a%2Ftenant/oauth2/v2.0/token "), "{asked}");
    assert!(
        asked.ends_with(
            "grant_type=client_credentials&client_id=an%20id&scope=https%3A%2F%2Fvault.azure.net%2F\
         .default&client_secret=very%26secret"
        ),
        "{asked}"
    );
}

#[test]
fn a_federated_token() {
    let authority = Server::start(vec![token()]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, "an.assertion\n").unwrap();
    let kid = format!("https://h/keys/backup/{VERSION}");
    let vault = Server::start(vec![answer(200, &format!(r#"{{"kid":"{kid}","value":"AAAA"}}"#))]);
    let set = [
        ("AZURE_AUTHORITY_HOST", authority.endpoint.as_str()),
        ("AZURE_KEYVAULT_URL", &vault.endpoint),
        ("AZURE_TENANT_ID", "t"),
        ("AZURE_CLIENT_ID", "i"),
    ];
    let with = |more: &[(&str, &str)]| generate(KEY, &[], &settings_of(&[&set, more].concat()));
    let error = with(&[]).unwrap_err();
    assert!(matches!(error.problem(), Problem::Credentials(_)), "{error}");
    assert!(authority.requests().is_empty() && vault.requests().is_empty());
    with(&[("AZURE_FEDERATED_TOKEN_FILE", file.to_str().unwrap())]).unwrap();
    let asked = &authority.requests()[0];
    assert!(asked.ends_with("jwt-bearer&client_assertion=an.assertion"), "{asked}");
    let gone = with(&[("AZURE_FEDERATED_TOKEN_FILE", "/nowhere")]).unwrap_err();
    assert!(matches!(gone.problem(), Problem::Credentials(_)), "{gone}");
}

#[test]
fn what_the_services_refuse() {
    let refused = |authority: String, vault: String| {
        let (authority, vault) = (Server::start(vec![authority]), Server::start(vec![vault]));
        let error = generate(KEY, &[], &settings(&authority, &vault)).unwrap_err();
        assert!(!format!("{error}{error:?}").contains("very&secret"), "{error:?}");
        (error, authority.requests().len(), vault.requests().len())
    };
    let body = r#"{"error":"invalid_client","error_description":"AADSTS7000215: no"}"#;
    let (error, asked, _) = refused(answer(401, body), token());
    assert_eq!((error.class(), asked), (Class::KeyUnavailable, 1), "{error}");
    assert!(error.to_string().contains("AADSTS7000215"), "{error}");
    for (status, code, inner, class, tries) in [
        (403, "Forbidden", "KeyDisabled", Class::KeyUnavailable, 1),
        (403, "Forbidden", "AccessDenied", Class::KeyUnavailable, 1),
        (404, "KeyNotFound", "", Class::KeyUnavailable, 1),
        // Nothing was wrapped yet that could be wrong.
        (400, "BadParameter", "", Class::KeeperFailed, 1),
        (401, "Unauthorized", "", Class::KeyUnavailable, 1),
        (429, "Throttled", "", Class::KeeperFailed, 5),
        (503, "", "", Class::KeeperFailed, 5),
    ] {
        let body = format!(
            r#"{{"error":{{"code":"{code}","message":"no","innererror":{{"code":"{inner}"}}}}}}"#
        );
        let (error, _, tried) = refused(token(), answer(status, &body));
        assert_eq!((error.class(), tried), (class, tries), "{status} {code}: {error}");
    }
    for nonsense in ["", "{}", r#"{"kid":"x/..","value":"AAAA"}"#] {
        let (error, ..) = refused(token(), answer(200, nonsense));
        assert_eq!(error.class(), Class::KeeperFailed, "{nonsense}: {error}");
    }
}

#[test]
fn another_vault_than_the_uri_names() {
    let named = settings_of(&[("AZURE_KEYVAULT_URL", "https://other.vault.azure.net")]);
    let error = generate(KEY, &[], &named).unwrap_err();
    assert!(error.to_string().contains("names another vault"), "{error}");
}
